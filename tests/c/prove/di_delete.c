// Doubly linked, iterative: the first cell with a value leaves the list and is released. When links and back links do not
// agree, the cells that they lead to are lost.
#include "stubs.h"

struct ring {
    int data;
    struct ring *next;
    struct ring *prev;
};

struct ring *di_delete(struct ring *list, int value) {
    struct ring *at = list;
    while (at != NULL) {
        if (at->data != value) {
            at = at->next;
        } else {
            if (at->prev != NULL)
                at->prev->next = at->next; //? violated: what came after the cell before, when that was not this cell
            if (at->next != NULL)
                at->next->prev = at->prev; //? violated: what came before the cell after, when that was not this cell
            if (list == at)
                list = list->next;
            free(at); //? violated release: what came after, when there is no back link although the cell is not the first
            break;
        }
    }
    return list;
}
