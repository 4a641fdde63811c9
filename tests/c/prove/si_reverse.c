// Singly linked, iterative: the list is turned round in place.
#include "stubs.h"

struct list {
    int data;
    struct list *next;
};

struct list *si_reverse(struct list *list) {
    struct list *done = NULL;
    struct list *rest;
    while (list != NULL) {
        rest = list->next;
        list->next = done;
        done = list;
        list = rest;
    }
    return done;
}
