// Singly linked, iterative: the first cell becomes the last. The caller says which cell is the last, and may be wrong.
#include "stubs.h"

struct list {
    int data;
    struct list *next;
};

struct list *si_rotate(struct list *first, struct list *last) {
    if (first != NULL) {
        last->next = first; //? violated: what came after `last`, when it was not the last
        first = first->next;
        last = last->next;
        last->next = NULL;
    }
    return first;
}
