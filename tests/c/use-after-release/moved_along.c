// A pointer into a block that is replaced by a larger one.
#include "stubs.h"
#include <stddef.h>

struct text { char *start; size_t size; };

static char *grow(struct text *text) {
    char *larger = malloc(text->size * 2);
    if (!larger)
        return 0;
    free(text->start);
    text->start = larger;
    text->size *= 2;
    return larger;
}

void pointer_moves_with_the_block_ok(struct text *text, const char *from) {
    char *start = text->start, *end = start;
    while (*from) {
        if ((size_t)(end - start) + 3 > text->size) {
            if (!grow(text))
                return;
            end += text->start - start;
            start = text->start;
        }
        *end++ = *from++;
    }
}

void pointer_stays_behind_bad(struct text *text, const char *from) {
    char *start = text->start, *end = start;
    while (*from) {
        if ((size_t)(end - start) + 3 > text->size) {
            if (!grow(text))
                return;
            start = text->start;
        }
        *end++ = *from++;    //~ use-after-release "end"
    }
}
