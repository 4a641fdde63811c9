// Singly linked, recursive: as sr_reverse, but the link is cut before the rest is remembered.
#include "stubs.h"

struct list {
    int data;
    struct list *next;
};

static struct list *append(struct list *list, struct list *more) {
    if (list == NULL)
        return more;
    list->next = append(list->next, more); //? false assigned-result: the budget of 500 transfer functions is spent
    return list;
}

static struct list *reverse(struct list *list) {
    struct list *rest;
    if (list == NULL)
        return NULL;
    list->next = NULL; //? violated: the rest of the list
    rest = list->next;
    rest = reverse(rest); //? false assigned-result: the budget of 500 transfer functions is spent
    return append(rest, list);
} //? false scope: the budget of 500 transfer functions is spent

struct list *sr_rev_leak(struct list *list, struct list *more) {
    list = reverse(list); //? false assigned-result: the budget of 500 transfer functions is spent
    return append(list, more); //? false scope: the budget of 500 transfer functions is spent
}
