// Doubly linked, iterative: two sorted lists become one. Each cell gets a new back link; where the old one led to
// a cell that is in neither list, that cell is lost.
#include "stubs.h"

struct ring {
    int data;
    struct ring *next;
    struct ring *prev;
};

struct ring *di_merge(struct ring *left, struct ring *right) {
    struct ring head;
    struct ring *at = &head;
    struct ring *before = NULL;
    head.next = NULL;
    head.prev = NULL;
    while (left != NULL && right != NULL) {
        if (left->data <= right->data) {
            at->next = left;
            left = left->next;
        } else {
            at->next = right;
            right = right->next;
        }
        at = at->next;
        at->prev = before; //? violated: what the back link led to, when it is in neither list
        before = at;
    }
    if (left != NULL)
        at->next = left;
    else
        at->next = right;
    if (at->next != NULL)
        at->next->prev = before; //? violated: what the back link led to, when it is in neither list
    return head.next;
}
