// Loops that release another element in every turn, beside loops that release the same one again.
#include "stubs.h"
#include <stddef.h>

struct frame { void *buffer; void *sense; };
struct pool { int count; struct frame **frames; void *spare; };

void buffers_of_all_frames_ok(struct pool *pool) {
    for (int i = 0; i < pool->count; i++) {
        struct frame *frame = pool->frames[i];
        if (frame->buffer)
            free(frame->buffer);
        if (frame->sense)
            free(frame->sense);
    }
}

void spare_in_every_turn_bad(struct pool *pool) {
    for (int i = 0; i < pool->count; i++) {
        struct frame *frame = pool->frames[i];
        if (frame->buffer)
            free(frame->buffer);
        free(pool->spare);    //~ double-release "pool->spare"
    }
}

// A doubly linked list: who takes an element out writes to its neighbours.
struct link { struct link *next, *prev; };
struct item { int number; struct link link; void *data; };
struct owner { int number; struct link items; };
struct slot { int number; struct owner *owner; };
struct table { struct slot *slots; };
struct world { struct table *table; };

#define ITEM(at) ((struct item *)((char *)(at)-offsetof(struct item, link)))

static void take_out(struct link *link) {
    link->next->prev = link->prev;
    link->prev->next = link->next;
    link->next = 0;
    link->prev = 0;
}

static void item_free(struct item *item) {
    take_out(&item->link);
    free(item);
}

void first_until_empty_ok(struct owner *owner) {
    while (owner->items.next != &owner->items)
        item_free(ITEM(owner->items.next));
}

void first_is_not_taken_out_bad(struct owner *owner) {
    while (owner->items.next != &owner->items) {
        struct item *item = ITEM(owner->items.next);
        free(item->data);    //~ double-release "data"
    }
}

// The list is so far away that nobody has a name for its elements.
void far_away_ok(struct world **worlds) {
    struct owner *owner = (*worlds)->table->slots->owner;
    struct item *item, *next;
    for (item = ITEM(owner->items.next), next = ITEM(item->link.next); &item->link != &owner->items;
         item = next, next = ITEM(next->link.next)) {
        take_out(&item->link);
        free(item->data);
        free(item);
    }
}

void far_away_bad(struct world **worlds) {
    struct owner *owner = (*worlds)->table->slots->owner;
    struct item *item = ITEM(owner->items.next);
    take_out(&item->link);
    free(item->data);
    free(item);
    free(item);    //~ double-release
}

// What is taken out stays what it is for those who still have its address.
void taken_out_bad(struct owner *owner) {
    struct item *item = ITEM(owner->items.next);
    take_out(&item->link);
    free(item);
    free(item);    //~ double-release "item"
}

void page_by_page_ok(char *start, size_t size) {
    for (char *page = start; page < start + size; page += 4096)
        munmap(page, 4096);
}

void same_page_bad(char *start, size_t size) {
    munmap(start, 4096);
    if (size > 4096)
        munmap(start, 4096);    //~ double-release
}
