// Trees: built and released by recursion.
#include "stubs.h"

struct tree { struct tree *left, *right; int key; char *name; };

static struct tree *leaf(int key) {
    struct tree *made = calloc(1, sizeof *made);
    if (!made)
        exit(1);
    made->key = key;
    made->name = strdup("leaf");
    return made;
}

static struct tree *put(struct tree *tree, int key) {
    if (!tree)
        return leaf(key);
    if (key < tree->key)
        tree->left = put(tree->left, key);
    else
        tree->right = put(tree->right, key);
    return tree;
}

static void tree_free(struct tree *tree) {
    if (!tree)
        return;
    tree_free(tree->left);
    tree_free(tree->right);
    free(tree->name);
    free(tree);
}

int put_ok(int n) {
    struct tree *tree = NULL;
    tree = put(tree, 5);
    tree = put(tree, n);
    tree_free(tree);
    return 0;
}

int put_bad(int n) {
    struct tree *tree = put(NULL, 5);    //~ memory-leak
    if (n > 2)
        return 1;
    tree_free(tree);
    return 0;
}

int by_hand_ok(int n) {
    struct tree *tree = leaf(1);
    tree->left = leaf(2);
    tree->right = leaf(3);
    tree->left->left = leaf(4);
    tree_free(tree);
    return n;
}

int only_one_side_bad(int n) {
    struct tree *tree = leaf(1);
    tree->left = leaf(2);
    tree->right = leaf(3);    //~ memory-leak
    tree_free(tree->left);
    free(tree->name);
    free(tree);
    return n;
}

// The children of a node are a list.
struct branch { struct branch *child, *sibling; };

static struct branch *grow(struct branch *parent) {
    struct branch *made = calloc(1, sizeof *made);
    if (!made)
        exit(1);
    if (parent) {
        made->sibling = parent->child;
        parent->child = made;
    }
    return made;
}

static void fell(struct branch *branch) {
    while (branch) {
        struct branch *next = branch->sibling;
        fell(branch->child);
        free(branch);
        branch = next;
    }
}

int children_ok(int n) {
    struct branch *root = grow(NULL);
    struct branch *first = grow(root);
    grow(root);
    grow(first);
    fell(root);
    return n;
}

int children_bad(int n) {
    struct branch *root = grow(NULL);
    struct branch *first = grow(root);    //~ memory-leak
    free(root);
    return n;
}

// The smallest one is taken out by a walk to the left.
static struct tree *take_least(struct tree **tree) {
    while ((*tree)->left)
        tree = &(*tree)->left;
    struct tree *least = *tree;
    *tree = least->right;
    least->right = NULL;
    return least;
}

int least_ok(int n) {
    struct tree *tree = leaf(2);
    tree->left = leaf(1);
    struct tree *least = take_least(&tree);
    tree_free(least);
    tree_free(tree);
    return n;
}

int least_bad(int n) {
    struct tree *tree = leaf(2);
    tree->left = leaf(1);    //~ memory-leak
    take_least(&tree);
    tree_free(tree);
    return n;
}
