// A block is taken and given back under tests that agree, or only seem to.
#include "stubs.h"

int by_comparison_ok(unsigned int have, unsigned int need, unsigned char *reserve) {
    unsigned char *work = reserve;
    if (need > have) {
        work = malloc(need);
        if (work == NULL)
            return -1;
    }
    memset(work, 0, need);
    int sum = work[0];
    if (need > have)
        free(work);
    return sum;
}

int by_mode_ok(int mode, const char *text) {
    char *copy = NULL;
    if (mode == 1 || mode == 3)
        copy = strdup(text);
    printf("mode %d\n", mode);
    if (mode == 3 || mode == 1)
        free(copy);
    return mode;
}

int by_remembered_flag_ok(const char *text, int limit) {
    bool owned = false;
    const char *view = text;
    if ((int)strlen(text) > limit) {
        char *cut = strndup(text, (size_t)limit);
        if (!cut)
            return -1;
        view = cut;
        owned = true;
    }
    puts(view);
    if (owned)
        free((void *)view);
    return 0;
}

int other_way_round_bad(int low, int high) {
    char *scratch = NULL;
    if (low > high)
        scratch = malloc(32);    //~ memory-leak "scratch"
    if (scratch)
        scratch[0] = 'a';
    if (high >= low)
        free(scratch);
    return 0;
}

int other_variable_bad(int rows, int columns) {
    int *cells = NULL;
    if (rows > 4)
        cells = malloc(sizeof *cells * 16);    //~ memory-leak "cells"
    if (cells)
        cells[0] = columns;
    if (columns > 4)
        free(cells);
    return 0;
}

int changed_in_between_bad(int count) {
    char *scratch = NULL;
    if (count > 0)
        scratch = malloc(16);    //~ memory-leak "scratch"
    count--;
    if (count > 0)
        free(scratch);
    return count;
}
