//@ engines: path flow
// The address of an element is null only if the array is.
#include "stubs.h"

struct list { void *first; int count; };
struct context { struct list *lists; };
int publish_list(struct context *context, struct list *list);

static struct list *find_list(struct context *context, unsigned number) {
    if (context->lists && number < 64)
        return &context->lists[number];
    return 0;
}

// There are lists, and the number is small, so one is found.
int made_only_if_not_found_ok(struct context *context, unsigned number) {
    if (!context->lists || number >= 64)
        return -1;
    struct list *list = find_list(context, number);
    if (!list) {
        list = malloc(sizeof *list);
        if (!list)
            return -1;
    }
    list->count++;
    return 0;
}

int made_if_number_is_large_bad(struct context *context, unsigned number) {
    if (!context->lists)
        return -1;
    struct list *list = find_list(context, number);
    if (!list) {
        list = malloc(sizeof *list);    //~ memory-leak "list"
        if (!list)
            return -1;
    }
    list->count++;
    return 0;
}
