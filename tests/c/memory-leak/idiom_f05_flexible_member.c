// The header is a struct with a flexible array member, and only the array is handed around.
#include "stubs.h"

struct vector { size_t length, capacity; int items[]; };
#define HEADER(v) ((struct vector *)(void *)((char *)(v) - offsetof(struct vector, items)))

static int *vector_new(size_t capacity) {
    struct vector *vector = malloc(sizeof *vector + capacity * sizeof vector->items[0]);
    if (!vector)
        return NULL;
    vector->length = 0, vector->capacity = capacity;
    return vector->items;
}

static void vector_free(int *items) { if (items) free(HEADER(items)); }

int summed_ok(size_t n) {
    int sum = 0, *items = vector_new(n);
    for (size_t i = 0; items && i < HEADER(items)->length; i++)
        sum += items[i];
    vector_free(items);
    return sum;
}

size_t capacity_only_bad(size_t n) {
    int *items = vector_new(n);    //~ memory-leak "items"
    return items ? HEADER(items)->capacity : 0;
}
