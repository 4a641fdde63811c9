// Balanced trees: the right child becomes the root, and the root its left child; and the other way round.
#include "stubs.h"

struct tree {
    int key;
    int height;
    struct tree *left;
    struct tree *right;
};

struct tree *avl_rotate_left(struct tree *root) {
    struct tree *child = root->right;
    root->right = child->left;
    child->left = root;
    return child;
}

struct tree *avl_rotate_right(struct tree *root) {
    struct tree *child = root->left;
    root->left = child->right;
    child->right = root;
    return child;
}
