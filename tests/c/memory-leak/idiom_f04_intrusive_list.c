// The list links the address of a field inside the block, and container_of leads back.
#include "stubs.h"

struct list_head {
    struct list_head *next;
    struct list_head *prev;
};

#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

static void list_init(struct list_head *head) {
    head->next = head;
    head->prev = head;
}

static void list_add(struct list_head *entry, struct list_head *head) {
    struct list_head *next = head->next;
    next->prev = entry;
    entry->next = next;
    entry->prev = head;
    head->next = entry;
}

static void list_del(struct list_head *entry) {
    entry->prev->next = entry->next;
    entry->next->prev = entry->prev;
}

static bool list_empty(const struct list_head *head) { return head->next == head; }

struct item {
    int value;
    char *name;
    struct list_head link;
};

static struct list_head items = { &items, &items };

int field_linked_into_global_list_ok(int value) {
    struct item *item = malloc(sizeof *item);
    if (!item)
        return -1;
    item->value = value;
    item->name = NULL;
    list_add(&item->link, &items);
    return 0;
}

int field_linked_into_parameter_list_ok(struct list_head *head, const char *name) {
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        return -1;
    item->name = strdup(name);
    list_add(&item->link, head);
    return 0;
}

void linked_then_unlinked_then_freed_ok(struct list_head *head) {
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        return;
    list_add(&item->link, head);
    list_del(&item->link);
    free(item);
}

int found_again_by_container_of_ok(int value) {
    struct list_head head;
    list_init(&head);
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        return -1;
    item->value = value;
    list_add(&item->link, &head);
    struct item *found = container_of(head.next, struct item, link);
    int seen = found->value;
    free(found);
    return seen;
}

void whole_list_is_freed_ok(struct list_head *head) {
    while (!list_empty(head)) {
        struct item *item = container_of(head->next, struct item, link);
        list_del(&item->link);
        free(item->name);
        free(item);
    }
}

struct slink {
    struct slink *next;
};

struct job {
    int number;
    struct slink link;
};

static struct slink *jobs;

int single_link_inside_block_ok(int number) {
    struct job *job = malloc(sizeof *job);
    if (!job)
        return -1;
    job->number = number;
    job->link.next = jobs;
    jobs = &job->link;
    return 0;
}

int allocated_and_never_linked_bad(struct list_head *head, int value, int full) {
    struct item *item = malloc(sizeof *item);    //~ memory-leak "item"
    if (!item)
        return -1;
    item->value = value;
    item->name = NULL;
    if (full)
        return -2;
    list_add(&item->link, head);
    return 0;
}

int linked_into_local_list_bad(int value) {
    struct list_head head;
    list_init(&head);
    struct item *item = calloc(1, sizeof *item);    //~ memory-leak
    if (!item)
        return -1;
    item->value = value;
    list_add(&item->link, &head);
    return list_empty(&head);
}

void linked_then_unlinked_bad(struct list_head *head, int cancel) {
    struct item *item = calloc(1, sizeof *item);    //~ memory-leak "item"
    if (!item)
        return;
    list_add(&item->link, head);
    if (cancel)
        list_del(&item->link);
}

int linked_to_itself_only_bad(void) {
    struct item *item = calloc(1, sizeof *item);    //~ memory-leak "item"
    if (!item)
        return -1;
    list_init(&item->link);
    return list_empty(&item->link);
}
