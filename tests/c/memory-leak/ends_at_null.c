//@ engines: path flow
// A path that reads or writes through NULL ends there: nothing is lost after it.
#include "stubs.h"

struct pair {
    char *left, *right;
};

static struct pair *new_pair(void) {
    struct pair *pair = malloc(sizeof *pair);
    pair->left = malloc(4);
    pair->right = malloc(4);
    return pair;
}

void released_together_ok(void) {
    struct pair *pair = new_pair();
    free(pair->left);
    free(pair->right);
    free(pair);
}

void left_behind_bad(void) {
    struct pair *pair = new_pair();    //~ memory-leak "new_pair"
    free(pair->left);
    free(pair);
}

int written_unchecked_ok(int n) {
    int *first = malloc(sizeof *first), *second;
    *first = n;
    second = malloc(sizeof *second);
    *second = n;
    if (!first)
        return -1;
    free(second);
    free(first);
    return n;
}

int checked_too_late_bad(int n) {
    int *first = malloc(sizeof *first);    //~ memory-leak "first"
    *first = n;
    if (n < 0)
        return -1;
    free(first);
    return n;
}
