// Balanced trees: a key is inserted, and each root on the way is balanced again.
// Where a tree leads back to its own root, a rotation below hangs another cell into the root, which the root then drops:
// it takes many heaps to meet that.
// heaps: 25000
#include "stubs.h"

struct tree {
    int key;
    int height;
    struct tree *left;
    struct tree *right;
};

static int height(struct tree *root) {
    return root != NULL ? root->height : 0;
}

static void measure(struct tree *root) {
    int left = height(root->left);
    int right = height(root->right);
    root->height = (left > right ? left : right) + 1;
}

static struct tree *rotate_left(struct tree *root) {
    struct tree *child = root->right;
    root->right = child->left;
    child->left = root;
    measure(root);
    measure(child);
    return child;
}

static struct tree *rotate_right(struct tree *root) {
    struct tree *child = root->left;
    root->left = child->right;
    child->right = root;
    measure(root);
    measure(child);
    return child;
}

static struct tree *balance(struct tree *root) {
    int difference = height(root->left) - height(root->right);
    if (difference > 1) {
        if (height(root->left->left) < height(root->left->right))
            root->left = rotate_left(root->left);
        return rotate_right(root);
    }
    if (difference < -1) {
        if (height(root->right->right) < height(root->right->left))
            root->right = rotate_right(root->right);
        return rotate_left(root);
    }
    return root;
}

static struct tree *insert(struct tree *root, int key) {
    if (root == NULL) {
        root = malloc(sizeof *root);
        if (root == NULL)
            return NULL;
        root->key = key;
        root->height = 1;
        root->left = NULL;
        root->right = NULL;
        return root;
    }
    if (key < root->key)
        root->left = insert(root->left, key); //? violated assigned-result: a cell on a circle that leads back to this one, which a rotation below hangs in here
    else if (key > root->key)
        root->right = insert(root->right, key); //? violated assigned-result: the same on the other side
    else
        return root;
    measure(root);
    return balance(root);
}

struct tree *avl_insert(struct tree *root, int key) {
    return insert(root, key);
}
