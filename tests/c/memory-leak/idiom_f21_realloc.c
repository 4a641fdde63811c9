// Around realloc: the old block when the caller keeps the result apart and gives up,
// the new block like any other, and size zero.
#include "stubs.h"

int old_block_forgotten_on_failure_bad(void) {
    char *data = malloc(16);    //~ memory-leak "data"
    if (!data)
        return -1;
    char *bigger = realloc(data, 64);
    if (!bigger)
        return -1;
    free(bigger);
    return 0;
}

int new_block_forgotten_bad(int broken) {
    char *data = malloc(16);
    if (!data)
        return -1;
    char *bigger = realloc(data, 64);    //~ memory-leak "bigger"
    if (!bigger) {
        free(data);
        return -1;
    }
    if (broken)
        return -2;
    free(bigger);
    return 0;
}

int block_from_null_forgotten_bad(size_t size) {
    char *data = realloc(NULL, size);    //~ memory-leak "data"
    if (!data)
        return -1;
    return size > 8;
}

int both_blocks_handled_ok(int broken) {
    char *data = malloc(16);
    if (!data)
        return -1;
    char *bigger = realloc(data, 64);
    if (!bigger) {
        free(data);
        return -1;
    }
    data = bigger;
    if (broken) {
        free(data);
        return -2;
    }
    free(data);
    return 0;
}

struct vector {
    int *items;
    size_t count;
};

static int vector_push(struct vector *vector, int item) {
    int *bigger = realloc(vector->items, (vector->count + 1) * sizeof *bigger);
    if (!bigger)
        return -1;
    vector->items = bigger;
    vector->items[vector->count++] = item;
    return 0;
}

int second_push_fails_bad(int first, int second) {
    struct vector vector = { NULL, 0 };
    if (vector_push(&vector, first) < 0)    //~ memory-leak
        return -1;
    if (vector_push(&vector, second) < 0)
        return -1;
    int sum = vector.items[0] ^ vector.items[1];
    free(vector.items);
    return sum;
}

// A size of zero releases the block in the C library that is modelled here.

char *size_zero_released_by_realloc_ok(size_t size) {
    char *data = malloc(16);
    if (!data)
        return NULL;
    char *other = realloc(data, size);
    if (!other) {
        if (size != 0)
            free(data);
        return NULL;
    }
    return other;
}

char *size_zero_kept_apart_ok(size_t size) {
    char *data = malloc(16);
    if (!data)
        return NULL;
    if (size == 0) {
        free(data);
        return NULL;
    }
    char *other = realloc(data, size);
    if (!other) {
        free(data);
        return NULL;
    }
    return other;
}
