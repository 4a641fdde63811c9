// Functions in a circle, each of which returns only after the one before it did: that all of them return is learnt one
// by one. Whoever believes that the innermost never does finds the rest of its callers dead.
#include "stubs.h"

static int second(int depth);
static int third(int depth);
static int fourth(int depth);
static int fifth(int depth);

static int first(int depth) {
    if (depth > 1)
        second(depth - 1);
    return depth;
}

static int second(int depth) {
    if (depth > 2)
        third(depth - 2);
    return first(depth - 1);
}

static int third(int depth) {
    if (depth > 3)
        fourth(depth - 3);
    return second(depth - 1);
}

static int fourth(int depth) {
    if (depth > 4)
        fifth(depth - 4);
    return third(depth - 1);
}

static int fifth(int depth) {
    return fourth(depth - 1);
}

int walk_bad(int depth) {
    char *place = malloc(16); //~ memory-leak
    if (!place)
        return -1;
    return fifth(depth);
}

int walk_ok(int depth) {
    char *place = malloc(16);
    if (!place)
        return -1;
    int reached = fifth(depth);
    free(place);
    return reached;
}
