// Singly linked, recursive: the rest is turned round, and the first cell goes to its end.
#include "stubs.h"

struct list {
    int data;
    struct list *next;
};

static struct list *append(struct list *list, struct list *more) {
    if (list == NULL)
        return more;
    list->next = append(list->next, more);
    return list;
}

static struct list *reverse(struct list *list) {
    struct list *rest;
    if (list == NULL)
        return NULL;
    rest = list->next;
    list->next = NULL;
    rest = reverse(rest);
    return append(rest, list);
}

struct list *sr_reverse(struct list *list) {
    return reverse(list);
}
