// Small structures are returned as values: what they hold belongs to whoever gets them.
#include "stubs.h"

struct node {
    struct node *next;
    char *name;
};

struct range {
    struct node *first, *last;
};

static struct range single(struct node *node) {
    struct range range = {node, node};
    return range;
}

struct range one_node_ok(const char *name) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        abort();
    node->next = NULL;
    node->name = strdup(name);
    return single(node);
}

static int length(struct range range) {
    int count = 0;
    for (struct node *at = range.first; at; at = at->next)
        count++;
    return count;
}

int only_counted_bad(const char *name) {
    struct node *node = malloc(sizeof *node);    //~ memory-leak "node"
    if (!node)
        abort();
    node->next = NULL;
    node->name = NULL;
    struct range range = {node, node};
    return length(range);
}
