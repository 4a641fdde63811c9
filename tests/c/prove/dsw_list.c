// Deutsch, Schorr and Waite: to the end of a list and back without a stack, by turning each link round and back again.
#include "stubs.h"

struct list {
    int data;
    struct list *next;
};

struct list *dsw_list(struct list *list) {
    struct list *before = NULL;
    struct list *at = list;
    struct list *after;
    while (at != NULL) {
        at->data = 1;
        after = at->next;
        at->next = before;
        before = at;
        at = after;
    }
    while (before != NULL) {
        after = before->next;
        before->next = at;
        at = before;
        before = after;
    }
    return at;
}
