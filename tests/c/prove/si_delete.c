// Singly linked, iterative: the first cell with a value leaves the list and is released.
#include "stubs.h"

struct list {
    int data;
    struct list *next;
};

struct list *si_delete(struct list *list, int value) {
    struct list *before = NULL;
    struct list *at = list;
    while (at != NULL && at->data != value) {
        before = at;
        at = at->next;
    }
    if (at != NULL) {
        if (before == NULL)
            list = at->next;
        else
            before->next = at->next;
        free(at);
    }
    return list;
}
