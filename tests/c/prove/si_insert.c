// Singly linked, iterative: a fresh cell goes in front of the first that is not smaller.
#include "stubs.h"

struct list {
    int data;
    struct list *next;
};

struct list *si_insert(struct list *list, int value) {
    struct list *before = NULL;
    struct list *at = list;
    struct list *node = malloc(sizeof *node);
    if (node == NULL)
        return list;
    node->data = value;
    while (at != NULL && at->data < value) {
        before = at;
        at = at->next;
    }
    node->next = at;
    if (before == NULL)
        list = node;
    else
        before->next = node;
    return list;
}
