// Doubly linked, iterative: links and back links change places, cell by cell.
#include "stubs.h"

struct ring {
    int data;
    struct ring *next;
    struct ring *prev;
};

struct ring *di_reverse(struct ring *list) {
    struct ring *last = NULL;
    while (list != NULL) {
        last = list;
        list = last->next;
        last->next = last->prev;
        last->prev = list;
    }
    return last;
}
