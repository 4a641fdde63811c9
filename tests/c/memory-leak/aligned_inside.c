// An address that is rounded up by adding the distance stays in its block.
#include "stubs.h"

typedef unsigned long address_t;

static char *aligned(size_t size) {
    size_t more;
    if (__builtin_add_overflow(size, 32, &more))
        return 0;
    char *block = malloc(more);
    if (!block)
        return 0;
    address_t begin = (address_t)block, end;
    (void)__builtin_add_overflow(begin, (address_t)16, &end);
    long offset = (long)((end & ~(address_t)31) + 16 - begin);
    char *inside = block + offset;
    inside[-1] = (char)offset;
    return inside;
}

static void aligned_free(char *inside) { free(inside - inside[-1]); }

void aligned_ok(void) {
    char *text = aligned(10);
    if (text)
        aligned_free(text);
}

int aligned_bad(void) {
    char *text = aligned(10); //~ memory-leak
    return text != 0;
}
