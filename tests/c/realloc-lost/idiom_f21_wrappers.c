// Wrappers of realloc: what the caller must do follows from what the wrapper does on failure.
#include "stubs.h"

static void *grow_or_die(void *block, size_t size) {
    void *bigger = realloc(block, size);
    if (!bigger)
        abort();
    return bigger;
}

static void *grow_or_free(void *block, size_t size) {
    if (size == 0)
        size = 1;
    void *bigger = realloc(block, size);
    if (!bigger)
        free(block);
    return bigger;
}

static int grow_in_place(char **block, size_t size) {
    if (size == 0)
        return -1;
    char *bigger = realloc(*block, size);
    if (!bigger)
        return -1;
    *block = bigger;
    return 0;
}

static void *grow_or_null(void *block, size_t size) {
    return realloc(block, size);
}

int wrapper_that_dies_ok(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    data = grow_or_die(data, 64);
    data[0] = '\0';
    free(data);
    return 0;
}

int wrapper_that_frees_ok(size_t size) {
    char *data = malloc(16);
    if (!data)
        return -1;
    data = grow_or_free(data, size);
    if (!data)
        return -1;
    free(data);
    return 0;
}

int wrapper_in_place_ok(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    if (grow_in_place(&data, 64) < 0) {
        free(data);
        return -1;
    }
    free(data);
    return 0;
}

int wrapper_that_returns_null_ok(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    char *bigger = grow_or_null(data, 64);
    if (!bigger) {
        free(data);
        return -1;
    }
    free(bigger);
    return 0;
}

int wrapper_that_returns_null_bad(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    data = grow_or_null(data, 64);    //~ realloc-lost "data"
    if (!data)
        return -1;
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

int vector_grown_twice_ok(int first, int second) {
    struct vector vector = { NULL, 0 };
    if (vector_push(&vector, first) < 0)
        return -1;
    if (vector_push(&vector, second) < 0) {
        free(vector.items);
        return -1;
    }
    int sum = vector.items[0] ^ vector.items[1];
    free(vector.items);
    return sum;
}
