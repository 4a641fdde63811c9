// Lists and trees of the caller's that point back: two ways to the same object.
#include "stubs.h"

struct member {
    char *name;
    struct member *next;
    struct member *prev;
};

struct ring {
    struct ring *prev, *next;
};

struct item {
    int number;
    struct ring ring;
};

struct shelf {
    int count;
    struct ring items;
};

struct vertex {
    char *label;
    struct vertex *left, *right, *parent;
};

#define item_of(link) ((struct item *)((char *)(link)-offsetof(struct item, ring)))

static void ring_remove(struct ring *link) {
    link->prev->next = link->next;
    link->next->prev = link->prev;
}

// Each turn takes another item: when one is unlinked the head leads to the next.
void shelf_empty_ok(struct shelf *shelf) {
    while (shelf->items.next != &shelf->items) {
        struct item *item = item_of(shelf->items.next);
        ring_remove(&item->ring);
        free(item);
        shelf->count--;
    }
}

int added_and_removed_ok(struct ring *head) {
    struct item *item = malloc(sizeof *item);
    if (!item)
        return -1;
    item->ring.next = head->next;
    item->ring.prev = head;
    head->next->prev = &item->ring;
    head->next = &item->ring;
    ring_remove(&item->ring);
    free(item);
    return 0;
}

void renamed_by_neighbour_ok(struct member *member, const char *name) {
    free(member->name);
    member->next->prev->name = strdup(name);
}

void renamed_and_taken_back_ok(struct member *member, const char *name) {
    free(member->name);
    member->prev->next->name = strdup(name);
    free(member->name);
    member->name = NULL;
}

void labelled_by_child_ok(struct vertex *vertex, const char *label) {
    free(vertex->label);
    vertex->right->parent->label = strdup(label);
}

// Brothers are not parents: the label stays in another vertex.
void labelled_by_grandchild_ok(struct vertex *vertex, const char *label) {
    free(vertex->left->right->label);
    vertex->left->right->label = strdup(label);
    free(vertex->label);
    vertex->label = NULL;
}

void overwritten_by_second_way_bad(struct member *member, const char *name) {
    free(member->name);
    member->next->prev->name = strdup(name);    //~ memory-leak
    member->name = NULL;
}

void overwritten_by_first_way_bad(struct vertex *vertex, const char *label) {
    free(vertex->label);
    vertex->label = strdup(label);    //~ memory-leak
    vertex->left->parent->label = NULL;
}
