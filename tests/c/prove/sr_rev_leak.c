// Singly linked, recursive: as sr_reverse, but the link is cut before the rest is remembered.
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
    list->next = NULL; //? violated: the rest of the list
    rest = list->next;
    rest = reverse(rest);
    return append(rest, list);
}

struct list *sr_rev_leak(struct list *list, struct list *more) {
    list = reverse(list);
    return append(list, more);
}
