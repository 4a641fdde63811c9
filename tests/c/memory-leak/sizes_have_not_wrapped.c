// A size that an allocation took has not wrapped around, and a number that counts iterations does not either: no path rests
// on that.
#include "stubs.h"

struct set {
    long alloc, count;
    long *elems;
};

static int insert(struct set *set, long elem) {
    if (set->alloc == 0) {
        set->elems = malloc(sizeof(long));
        if (!set->elems)
            return -1;
        set->alloc = set->count = 1;
        set->elems[0] = elem;
        return 0;
    }
    if (set->alloc == set->count) {
        long *more = realloc(set->elems, 2 * set->alloc * sizeof(long));
        if (!more)
            return -1;
        set->alloc *= 2;
        set->elems = more;
    }
    set->elems[set->count++] = elem;
    return 0;
}

int build_ok(struct set *to, const struct set *from) {
    for (long i = 0; i < from->count; i++)
        if (insert(to, from->elems[i]) < 0)
            return -1;
    return 0;
}

// The block is there, so the count that it was made for is not negative, and twice the count is not nothing.
int doubled_ok(size_t count) {
    long *block = malloc(count * sizeof(long));
    if (!block)
        return -1;
    if (count != 0 && 4 * count == 0)
        return -2;
    free(block);
    return 0;
}

int halved_bad(size_t count) {
    long *block = malloc(count * sizeof(long));    //~ memory-leak "`block`"
    if (!block)
        return -1;
    if (count / 2 == 4)
        return -2;
    free(block);
    return 0;
}

int next_number(int fd);

// The count is raised in each iteration; it does not come back to zero.
int counted_ok(int fd) {
    char *first = NULL;
    int count = 0;
    while (next_number(fd) > 0) {
        if (count == 0) {
            first = malloc(16);
            if (!first)
                return -1;
        }
        count++;
    }
    if (count > 0)
        free(first);
    return count;
}

int counted_bad(int fd) {
    char *first = NULL;
    int count = 0;
    while (next_number(fd) > 0) {
        if (count == 0) {
            first = malloc(16);    //~ memory-leak "`first`"
            if (!first)
                return -1;
        }
        count++;
    }
    if (count > 1)
        free(first);
    return count;
}
