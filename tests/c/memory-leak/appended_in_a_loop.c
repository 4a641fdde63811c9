// A loop that appends a chain of items, one by one, appends the first one however many follow.
#include "stubs.h"

struct item {
    int number;
    struct item *more;
    struct item *after;
};

struct queue {
    struct item *first;
    struct item **last;
};

struct client {
    int references;
    struct queue *queue;
};

int asked(void);

static void append(struct client *client, struct item *item) {
    struct queue *queue = client->queue;
    struct item *more;
    do {
        more = item->more;
        item->more = NULL;
        item->after = NULL;
        client->references++;
        *queue->last = item;
        queue->last = &item->after;
        item = more;
    } while (item);
}

static struct item *item_new(int number) {
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        abort();
    item->number = number;
    return item;
}

void appended_ok(struct client *client) {
    append(client, item_new(1));
}

void appended_with_more_ok(struct client *client, struct item *more) {
    struct item *item = item_new(2);
    item->more = more;
    append(client, item);
}

void appended_if_asked_bad(struct client *client, struct item *more) {
    struct item *item = item_new(3);    //~ memory-leak "item"
    item->more = more;
    if (asked())
        append(client, item);
}
