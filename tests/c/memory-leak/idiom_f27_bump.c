// A bump allocator in one block; only the block is freed.
#include "stubs.h"

struct bump { char *start, *next, *end; };

static int bump_init(struct bump *bump, size_t size) {
    bump->next = bump->start = malloc(size);
    bump->end = bump->start ? bump->start + size : NULL;
    return bump->start ? 0 : -1;
}
static void *bump_take(struct bump *bump, size_t size) {
    if ((size_t)(bump->end - bump->next) < size)
        return NULL;
    bump->next += size;
    return bump->next - size;
}

int taken_and_freed_at_once_ok(void) {
    struct bump bump;
    if (bump_init(&bump, 4096) != 0)
        return -1;
    char *a = bump_take(&bump, 10), *b = bump_take(&bump, 20);
    int both = a && b;
    free(bump.start);
    return both;
}

int block_forgotten_bad(void) {
    struct bump bump;
    if (bump_init(&bump, 4096) != 0)    //~ memory-leak "bump.start"
        return -1;
    return bump_take(&bump, 10) != NULL;
}
