// A list with a pointer to its last link.
#include "stubs.h"

struct link { struct link *next; int value; };
struct queue { struct link *first, **last; int count; };

static int enqueue(struct queue *queue, struct link *link) {
    if (queue->count >= 100)
        return 0;
    link->next = 0;
    *queue->last = link;
    queue->last = &link->next;
    queue->count++;
    return 1;
}

int enqueued_or_freed_ok(struct queue *queue, int value) {
    struct link *link = malloc(sizeof *link);
    if (!link)
        return -1;
    link->value = value;
    if (!enqueue(queue, link)) {
        free(link);
        return -2;
    }
    return 0;
}

int full_queue_ignored_bad(struct queue *queue, int value) {
    struct link *link = malloc(sizeof *link);    //~ memory-leak "link"
    if (!link)
        return -1;
    link->value = value;
    (void)enqueue(queue, link);
    return 0;
}
