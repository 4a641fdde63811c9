// leaks: 0
// A binary search tree with insertion, deletion, iteration without recursion, and release.
#include <stdio.h>
#include <stdlib.h>

struct tree {
    int key;
    struct tree *left;
    struct tree *right;
    struct tree *parent;
};

static int allocated;

static struct tree *insert(struct tree **root, int key) {
    struct tree *parent = NULL;
    struct tree **link = root;
    while (*link) {
        parent = *link;
        if (key == parent->key)
            return parent;
        link = key < parent->key ? &parent->left : &parent->right;
    }
    struct tree *tree = calloc(1, sizeof *tree);
    if (!tree)
        exit(1);
    allocated++;
    tree->key = key;
    tree->parent = parent;
    *link = tree;
    return tree;
}

static struct tree *leftmost(struct tree *tree) {
    while (tree && tree->left)
        tree = tree->left;
    return tree;
}

static struct tree *successor(struct tree *tree) {
    if (tree->right)
        return leftmost(tree->right);
    while (tree->parent && tree->parent->right == tree)
        tree = tree->parent;
    return tree->parent;
}

static void replace(struct tree **root, struct tree *old, struct tree *with) {
    if (!old->parent)
        *root = with;
    else if (old->parent->left == old)
        old->parent->left = with;
    else
        old->parent->right = with;
    if (with)
        with->parent = old->parent;
}

static int erase(struct tree **root, int key) {
    struct tree *tree = *root;
    while (tree && tree->key != key)
        tree = key < tree->key ? tree->left : tree->right;
    if (!tree)
        return 0;
    if (tree->left && tree->right) {
        struct tree *next = leftmost(tree->right);
        tree->key = next->key;
        tree = next;
    }
    replace(root, tree, tree->left ? tree->left : tree->right);
    free(tree);
    allocated--;
    return 1;
}

static int height(const struct tree *tree) {
    if (!tree)
        return 0;
    int left = height(tree->left);
    int right = height(tree->right);
    return 1 + (left > right ? left : right);
}

static void show(struct tree *root) {
    for (struct tree *t = leftmost(root); t; t = successor(t))
        printf("%d ", t->key);
    printf("(%d high, %d allocated)\n", height(root), allocated);
}

static void release(struct tree *tree) {
    if (!tree)
        return;
    release(tree->left);
    release(tree->right);
    free(tree);
    allocated--;
}

int main(void) {
    struct tree *root = NULL;
    int key = 17;
    for (int i = 0; i < 15; i++) {
        insert(&root, key);
        key = (key * 29 + 13) % 97;
    }
    show(root);
    printf("%d %d\n", insert(&root, 17)->key, allocated);
    printf("%d", erase(&root, 17));
    printf("%d", erase(&root, 1000));
    printf("%d\n", erase(&root, leftmost(root)->key));
    show(root);
    while (root && root->right)
        erase(&root, root->key);
    show(root);
    release(root);
    printf("%d\n", allocated);
    return 0;
}
