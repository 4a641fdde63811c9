// A function handles the element of an array whose number its caller gives.
#include "stubs.h"

static void close_one(int *fds, size_t i) {
    if (fds[i] == -1)
        return;
    close(fds[i]);
    fds[i] = -1;
}

static void close_both(int *fds) {
    for (size_t i = 0; i < 2; i++)
        close_one(fds, i);
}

int one_by_one_ok(void) {
    int fds[2];
    if (pipe(fds) == -1)
        return -1;
    close_one(fds, 0);
    close_one(fds, 1);
    return 0;
}

int table_ok(void) {
    int fds[2][2] = {{-1, -1}, {-1, -1}};
    if (pipe(fds[0]) == -1 || pipe(fds[1]) == -1) {
        close_both(fds[0]);
        return -1;
    }
    close_both(fds[0]);
    close_both(fds[1]);
    return 0;
}

int other_end_bad(void) {
    int fds[2];
    if (pipe(fds) == -1)    //~ resource-leak "fds[1]"
        return -1;
    close_one(fds, 0);
    return 0;
}

// The number goes on to a function behind.
static void close_by(int *fds, int which) { close_one(fds, which); }

int by_number_ok(void) {
    int fds[2];
    if (pipe(fds) == -1)
        return -1;
    close_by(fds, 1);
    close_by(fds, 0);
    return 0;
}

int by_number_twice_bad(void) {
    int fds[2];
    if (pipe(fds) == -1)    //~ resource-leak "fds[0]"
        return -1;
    close_by(fds, 1);
    close_by(fds, 1);
    return 0;
}

struct bag {
    int count;
    char **items;
};

static void drop(struct bag *bag, int i) {
    free(bag->items[i]);
    bag->items[i] = NULL;
}

static int fill(struct bag *bag, int i, size_t size) {
    bag->items[i] = malloc(size);
    return bag->items[i] != NULL;
}

int refilled_ok(char **room) {
    struct bag bag = {2, room};
    if (!fill(&bag, 0, 8))
        return -1;
    if (!fill(&bag, 1, 8)) {
        drop(&bag, 0);
        return -1;
    }
    drop(&bag, 1);
    drop(&bag, 0);
    return 0;
}

int local_room_bad(void) {
    char *room[2] = {NULL, NULL};
    struct bag bag = {2, room};
    if (!fill(&bag, 0, 8))    //~ memory-leak
        return -1;
    if (!fill(&bag, 1, 8))
        return -1;
    drop(&bag, 1);
    return 0;
}
