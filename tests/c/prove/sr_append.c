// Singly linked, recursive: a second list goes to the end of the first.
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

struct list *sr_append(struct list *list, struct list *more) {
    return append(list, more);
}
