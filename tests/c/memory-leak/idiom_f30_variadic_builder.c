// A variadic function builds a node from its arguments and owns them from then on.
#include "stubs.h"

struct node {
    int kind;
    int count;
    struct node *children[4];
};

static void node_free(struct node *node) {
    if (!node)
        return;
    for (int i = 0; i < node->count; i++)
        node_free(node->children[i]);
    free(node);
}

static struct node *leaf(int kind) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return NULL;
    node->kind = kind;
    node->count = 0;
    return node;
}

// Takes the children whatever happens.
static struct node *build(int kind, int count, ...) {
    struct node *node = leaf(kind);
    va_list children;
    va_start(children, count);
    for (int i = 0; i < count; i++) {
        struct node *child = va_arg(children, struct node *);
        if (node && node->count < 4)
            node->children[node->count++] = child;
        else
            node_free(child);
    }
    va_end(children);
    return node;
}

struct node *built_from_results_ok(void) {
    return build(1, 2, leaf(2), leaf(3));
}

struct node *built_from_variables_ok(void) {
    struct node *left = leaf(2);
    struct node *right = leaf(3);
    return build(1, 2, left, right);
}

struct node *built_in_layers_ok(int deep) {
    struct node *inner = leaf(4);
    if (deep)
        inner = build(5, 1, inner);
    return build(1, 2, inner, leaf(3));
}

struct node *first_argument_lost_bad(void) {
    struct node *left = leaf(2);    //~ memory-leak "left"
    if (!left)
        return NULL;
    struct node *right = leaf(3);
    if (!right)
        return NULL;
    return build(1, 2, left, right);
}

struct node *builder_not_called_bad(int wanted) {
    struct node *child = leaf(2);    //~ memory-leak "child"
    if (!child)
        return NULL;
    if (!wanted)
        return NULL;
    return build(1, 1, child);
}

struct node *one_argument_left_out_bad(int both) {
    struct node *left = leaf(2);
    struct node *right = leaf(3);    //~ memory-leak "right"
    if (both)
        return build(1, 2, left, right);
    return build(1, 1, left);
}
