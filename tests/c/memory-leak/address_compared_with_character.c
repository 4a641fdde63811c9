// The address of a block is never a small number, so a comparison with one hardly says what was meant.
#include "stubs.h"

#define NOTHING ((char *)1)

void forgot_a_star_bad(void) {
    char **lines = malloc(sizeof *lines);
    if (!lines)
        return;
    *lines = malloc(80);    //~ memory-leak "*lines"
    if (*lines == (char *)'\n') {
        free(lines);
        return;
    }
    free(*lines);
    free(lines);
}

void mark_for_nothing_ok(int some) {
    char *line = some ? malloc(80) : NOTHING;
    if (line != NOTHING)
        free(line);
}

void mark_for_nothing_always_ok(void) {
    char *line = malloc(80);
    if (line != NOTHING)
        free(line);
}
