// Memory comes from an allocator in a table, which refuses everything until it is set; sizes that are too large are refused, too.
#include "stubs.h"

struct allocator {
    void *(*allocate)(size_t size);
    void (*release)(void *memory);
};

static void *no_memory(size_t size) {
    return 0;
}
static void *plain(size_t size) {
    return malloc(size);
}
static struct allocator allocator = {no_memory, free};

void start(void) {
    allocator.allocate = plain;
}

static void *get(size_t count, size_t size) {
    size_t all;
    if (__builtin_mul_overflow(count, size, &all))
        return 0;
    return allocator.allocate(all);
}

static void *get_checked(size_t count, size_t size) {
    if (size && count > (size_t)-1 / size)
        return 0;
    return allocator.allocate(count * size);
}

char *pair_bad(const char *name) {
    char *first = malloc(strlen(name) + 1), *second; //~ memory-leak "first"
    //~^ urgency memory-runs-out
    if (!first)
        return 0;
    second = get(2, 16);
    if (!second)
        return 0;
    allocator.release(second);
    return first;
}

char *checked_bad(const char *name) {
    char *first = malloc(strlen(name) + 1), *second; //~ memory-leak "first"
    //~^ urgency memory-runs-out
    if (!first)
        return 0;
    second = get_checked(2, 16);
    if (!second)
        return 0;
    allocator.release(second);
    return first;
}

char *refused_bad(const char *name, int refuse) {
    char *first = malloc(strlen(name) + 1); //~ memory-leak "first"
    //~^ urgency error-handling
    if (!first)
        return 0;
    if (refuse)
        return 0;
    return first;
}
