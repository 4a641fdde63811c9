// Singly linked, iterative: a list of n cells, each put in front of the last.
#include "stubs.h"

struct list {
    int data;
    struct list *next;
};

struct list *si_create(int count) {
    struct list *head = NULL;
    while (count > 0) {
        struct list *node = malloc(sizeof *node);
        if (node == NULL)
            break;
        node->data = count;
        node->next = head;
        head = node;
        count--;
    }
    return head;
}
