// Doubly linked, iterative: a fresh cell goes in front of a cell.
#include "stubs.h"

struct ring {
    int data;
    struct ring *next;
    struct ring *prev;
};

struct ring *di_prepend(struct ring *list, int value) {
    struct ring *node = malloc(sizeof *node);
    if (node == NULL)
        return list;
    node->data = value;
    node->next = list;
    node->prev = NULL;
    if (list != NULL) {
        if (list->prev != NULL) {
            list->prev->next = node; //? violated: what came after the cell before, when that was not this list
            node->prev = list->prev;
        }
        list->prev = node;
    }
    return node;
}
