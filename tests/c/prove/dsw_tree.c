// Deutsch, Schorr and Waite: marks a tree without a stack; the way back stands in the links on the way down.
#include "stubs.h"

struct tree {
    int marked;
    int left_done;
    struct tree *left;
    struct tree *right;
};

struct tree *dsw_tree(struct tree *root) {
    struct tree *before = NULL;
    struct tree *at = root;
    struct tree *after;
    for (;;) {
        if (at != NULL && !at->marked) {
            at->marked = 1;
            at->left_done = 0;
            after = at->left;
            at->left = before;
            before = at;
            at = after;
        } else if (before == NULL) {
            break;
        } else if (!before->left_done) {
            before->left_done = 1;
            after = before->right;
            before->right = before->left;
            before->left = at;
            at = after;
        } else {
            after = before->right;
            before->right = at;
            at = before;
            before = after;
        }
    }
    return at;
}
