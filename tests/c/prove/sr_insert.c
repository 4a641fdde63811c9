// Singly linked, recursive: a fresh cell goes in front of the first that is not smaller.
#include "stubs.h"

struct list {
    int data;
    struct list *next;
};

static struct list *insert(struct list *list, int value) {
    struct list *node;
    if (list == NULL || list->data >= value) {
        node = malloc(sizeof *node);
        if (node == NULL)
            return list;
        node->data = value;
        node->next = list;
        return node;
    }
    list->next = insert(list->next, value);
    return list;
}

struct list *sr_insert(struct list *list, int value) {
    return insert(list, value);
}
