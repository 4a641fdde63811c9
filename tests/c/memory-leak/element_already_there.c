// An insertion that hands back the element that is there already, and otherwise takes the new one. Who does not look at
// the result knows that the element is new.
#include "stubs.h"

struct item {
    int key;
    char *name;
    struct item *left, *right, *parent;
};

struct tree {
    struct item *root;
};

static struct item *insert(struct tree *tree, struct item *item) {
    struct item *at = tree->root, *parent = NULL;
    int order = 0;
    while (at) {
        parent = at;
        order = item->key - at->key;
        if (order < 0)
            at = at->left;
        else if (order > 0)
            at = at->right;
        else
            return at;
    }
    item->parent = parent;
    item->left = item->right = NULL;
    if (!parent)
        tree->root = item;
    else if (order < 0)
        parent->left = item;
    else
        parent->right = item;
    return NULL;
}

static struct item *find(struct tree *tree, int key) {
    struct item *at = tree->root;
    while (at && at->key != key)
        at = key < at->key ? at->left : at->right;
    return at;
}

void added_if_missing_ok(struct tree *tree, int key, const char *name) {
    struct item *item = find(tree, key);
    if (item)
        return;
    item = malloc(sizeof *item);
    if (!item)
        exit(1);
    item->key = key;
    item->name = strdup(name);
    insert(tree, item);
}

int already_there_ok(struct tree *tree, int key) {
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        exit(1);
    item->key = key;
    struct item *other = insert(tree, item);
    if (other) {
        free(item);
        return other->key;
    }
    return 0;
}

int already_there_bad(struct tree *tree, int key) {
    struct item *item = calloc(1, sizeof *item);    //~ memory-leak "item"
    if (!item)
        exit(1);
    item->key = key;
    struct item *other = insert(tree, item);
    return other ? other->key : 0;
}

// A number that is not 0 says that something went wrong, and not that the item was there.
struct slots {
    struct item *slot[8];
    unsigned count;
    int broken;
};

static int append(struct slots *slots, struct item *item) {
    if (slots->broken)
        return slots->broken;
    slots->slot[slots->count++ & 7] = item;
    return 0;
}

void failure_not_looked_at_bad(struct slots *slots) {
    struct item *item = calloc(1, sizeof *item);    //~ memory-leak "item"
    if (!item)
        exit(1);
    append(slots, item);
}

// The same with an order that the tree is given. NULL says that there is such an element, and nothing is acquired that could be lacking.
struct ordered {
    struct item *root;
    int (*order)(const struct item *, const struct item *);
};

static struct item end_of_tree;

static struct item *insert_in_order(struct ordered *tree, struct item *item) {
    struct item *at = tree->root, *parent = &end_of_tree;
    int order = 0;
    while (at != &end_of_tree) {
        order = tree->order(item, at);
        if (order == 0)
            return NULL;
        parent = at;
        at = order < 0 ? at->left : at->right;
    }
    item->parent = parent;
    item->left = item->right = &end_of_tree;
    if (parent == &end_of_tree)
        tree->root = item;
    else if (order < 0)
        parent->left = item;
    else
        parent->right = item;
    return item;
}

struct register_of_items {
    struct ordered *tree;
};

static struct item *make_in(struct register_of_items *all, int key) {
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        return NULL;
    item->key = key;
    (void)insert_in_order(all->tree, item);
    return item;
}

int null_is_not_looked_at_ok(struct register_of_items *all, int key) {
    return make_in(all, key) ? 0 : -1;
}

int null_is_looked_at_bad(struct register_of_items *all, int key) {
    struct item *item = calloc(1, sizeof *item);    //~ memory-leak "item"
    if (!item)
        return -1;
    item->key = key;
    if (!insert_in_order(all->tree, item))
        return -1;
    return 0;
}
