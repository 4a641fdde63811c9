// Whoever is asked for the order of two things, and whose answer is only compared with zero, neither keeps nor releases them.
#include "stubs.h"

struct pair {
    char *key, *value;
};
struct node {
    struct pair pair;
    struct node *left, *right;
};
struct tree {
    struct node *top;
    int (*order)(const void *a, const void *b);
};

static struct node *seek(struct tree *tree, struct pair *key) {
    struct node *at = tree->top;
    while (at) {
        int way = tree->order(key, &at->pair);
        if (way == 0)
            return at;
        at = way < 0 ? at->left : at->right;
    }
    return NULL;
}

static const char *look_up(struct tree *tree, char *name) {
    struct pair key = {name, NULL};
    struct node *node = seek(tree, &key);
    return node ? node->pair.value : NULL;
}

int number_bad(struct tree *tree, const char *name) {
    char *copy = strdup(name);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    const char *value = look_up(tree, copy);
    if (value)
        return atoi(value);
    free(copy);
    return 0;
}

// In an array that is cut in halves.
static int place_of(char **names, int count, char *name, int (*order)(const char *, const char *)) {
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        int way = order(name, names[middle]);
        if (way > 0)
            low = middle + 1;
        else if (way < 0)
            high = middle;
        else
            return middle;
    }
    return -1;
}

int found_bad(char **names, int count, const char *name, int (*order)(const char *, const char *)) {
    char *copy = strdup(name);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    return place_of(names, count, copy, order);
}

int number_ok(struct tree *tree, const char *name) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    const char *value = look_up(tree, copy);
    int number = value ? atoi(value) : 0;
    free(copy);
    return number;
}

// What it returns is no order: it may say that it has taken it.
int taken_ok(char *other, const char *name, int (*take)(char *, char *)) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    return take(copy, other);
}
