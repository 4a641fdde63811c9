// A function that compares what it is given answers the same way each time.
#include "stubs.h"

struct space { int number; void *table; };
extern struct space first_space;
int publish(struct space *space, void *table);

static int same_space(const struct space *a, const struct space *b) { return a == b; }

// Whether the table is a copy is asked again before it is released.
int copied_for_others_ok(struct space *space, struct space *shared, void *original) {
    void *table = original;
    if (!same_space(space, shared)) {
        table = malloc(64);
        if (!table)
            return -1;
    }
    space->table = 0;
    if (publish(space, 0) < 0) {
        if (!same_space(space, shared))
            free(table);
        return -1;
    }
    if (!same_space(space, shared))
        free(table);
    return 0;
}

// The second question is another one.
int asked_about_another_bad(struct space *space, struct space *shared, struct space *other, void *original) {
    void *table = original;
    if (!same_space(space, shared)) {
        table = malloc(64);    //~ memory-leak "table"
        if (!table)
            return -1;
    }
    if (publish(space, 0) < 0) {
        if (!same_space(space, other))
            free(table);
        return -1;
    }
    if (!same_space(space, shared))
        free(table);
    return 0;
}

// A list is empty if it leads to itself.
struct ring { struct ring *next; };

static int is_empty(const struct ring *ring) { return ring->next == ring; }

int buffer_for_elements_ok(struct ring *ring) {
    char *buffer = 0;
    if (!is_empty(ring)) {
        buffer = malloc(16);
        if (!buffer)
            return -1;
        buffer[0] = 0;
    }
    if (!is_empty(ring))
        free(buffer);
    return 0;
}

int buffer_for_no_elements_bad(struct ring *ring) {
    char *buffer = 0;
    if (!is_empty(ring)) {
        buffer = malloc(16);    //~ memory-leak "buffer"
        if (!buffer)
            return -1;
        buffer[0] = 0;
    }
    if (is_empty(ring))
        free(buffer);
    return 0;
}
