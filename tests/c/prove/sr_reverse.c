// Singly linked, recursive: the rest is turned round, and the first cell goes to its end.
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
    rest = list->next;
    list->next = NULL;
    rest = reverse(rest); //? false assigned-result: the budget of 500 transfer functions is spent
    return append(rest, list);
} //? false scope: the budget of 500 transfer functions is spent

struct list *sr_reverse(struct list *list) {
    return reverse(list); //? false scope: the budget of 500 transfer functions is spent
}
