// Cleanup attributes in nested scopes, on structs, and in a macro that opens a scope.
#include "stubs.h"

static void free_text(char **text) { free(*text); }
static void close_file(FILE **file) { if (*file) fclose(*file); }

struct pair { char *left, *right; };
static void free_pair(struct pair *pair) { free(pair->left), free(pair->right); }
static void free_left(struct pair *pair) { free(pair->left); }

#define SCOPED __attribute__((cleanup(free_text)))

int inner_and_outer_ok(const char *path, int depth) {
    SCOPED char *outer = strdup(path);
    if (!outer)
        return -1;
    do {
        __attribute__((cleanup(close_file))) FILE *file = fopen(outer, "r");
        SCOPED char *inner = file ? malloc(64) : NULL;
        if (!inner || !fgets(inner, 64, file))
            break;
        if (depth > 3)
            return 3;
    } while (depth-- > 0);
    return 0;
}

int pair_of_two_ok(const char *a, const char *b) {
    __attribute__((cleanup(free_pair))) struct pair pair = { strdup(a), strdup(b) };
    return pair.left && pair.right ? strcmp(pair.left, pair.right) : -1;
}

int half_of_the_pair_bad(const char *a, const char *b) {
    __attribute__((cleanup(free_left))) struct pair pair = { .left = strdup(a) };
    pair.right = strdup(b);    //~ memory-leak "pair.right"
    return pair.left && pair.right;
}
