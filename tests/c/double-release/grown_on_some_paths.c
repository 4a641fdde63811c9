// A buffer that grows: the old block is released by `realloc` when, and only when, a new one takes its place.
#include "stubs.h"

struct text {
    char *bytes;
    int length;
    int limit;
    int errors;
};

static int reserve(struct text *text, unsigned least) {
    if (text->limit >= 0 && (unsigned)text->limit >= least)
        return 1;
    if (least >= INT_MAX) {
        text->errors |= 1;
        return 0;
    }
    unsigned size = least < 512 ? 512 : least < INT_MAX / 2 ? least / 512 * 1024 + 1 : INT_MAX - 1;
    char *bigger = text->bytes ? realloc(text->bytes, size) : malloc(size);
    if (!bigger) {
        text->errors |= 2;
        return 0;
    }
    text->limit = (int)size;
    text->bytes = bigger;
    return 1;
}

int grown_again_and_again_ok(struct text *text, unsigned a, unsigned b) {
    if (!reserve(text, a))
        return 0;
    text->bytes[0] = 'a';
    if (!reserve(text, b))
        return 0;
    text->bytes[1] = 'b';
    return reserve(text, a + b);
}

void grown_and_given_back_ok(unsigned a, unsigned b) {
    struct text text = { NULL, 0, 0, 0 };
    if (reserve(&text, a))
        reserve(&text, b);
    free(text.bytes);
}

// The size is never zero on purpose, so `realloc` leaves the block alone when it fails.
int size_computed_ok(char **block, unsigned long count) {
    char *bigger = realloc(*block, count * 8);
    if (!bigger) {
        free(*block);
        *block = NULL;
        return -1;
    }
    *block = bigger;
    return 0;
}

void zero_releases_bad(void) {
    char *block = malloc(8);
    if (!block)
        return;
    realloc(block, 0);
    free(block);    //~ double-release
}

void given_back_twice_bad(unsigned a) {
    struct text text = { NULL, 0, 0, 0 };
    reserve(&text, a);
    free(text.bytes);
    free(text.bytes);    //~ double-release
}
