// A node is handed to a visible function that links it into a list.
#include "stubs.h"

struct node {
    struct node *next;
    int value;
};

struct list {
    struct node *head;
    struct node *tail;
    int count;
    int limit;
};

static struct node *global_head;

static struct node *node_new(int value) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return NULL;
    node->next = NULL;
    node->value = value;
    return node;
}

static void append_by_walking(struct list *list, struct node *node) {
    struct node *last = list->head;
    if (!last) {
        list->head = node;
        return;
    }
    while (last->next)
        last = last->next;
    last->next = node;
}

static void append_by_link(struct node **link, struct node *node) {
    while (*link)
        link = &(*link)->next;
    *link = node;
}

static void append_recursively(struct node *list, struct node *node) {
    if (list->next)
        append_recursively(list->next, node);
    else
        list->next = node;
}

static void append_at_tail(struct list *list, struct node *node) {
    if (list->tail)
        list->tail->next = node;
    else
        list->head = node;
    list->tail = node;
}

static int append_limited(struct list *list, struct node *node) {
    if (list->count >= list->limit)
        return -1;
    node->next = list->head;
    list->head = node;
    list->count++;
    return 0;
}

static void append_unless_null(struct list *list, struct node *node) {
    if (!list)
        return;
    node->next = list->head;
    list->head = node;
}

static bool insert_unless_there(struct list *list, struct node *node) {
    for (struct node *other = list->head; other; other = other->next) {
        if (other->value == node->value)
            return false;
    }
    node->next = list->head;
    list->head = node;
    return true;
}

void walked_to_the_tail_ok(struct list *list, int value) {
    struct node *node = node_new(value);
    if (node)
        append_by_walking(list, node);
}

void linked_through_double_pointer_ok(int value) {
    struct node *node = node_new(value);
    if (node)
        append_by_link(&global_head, node);
}

void linked_recursively_ok(struct node *list, int value) {
    struct node *node = node_new(value);
    if (!node)
        return;
    append_recursively(list, node);
}

int linked_at_the_tail_ok(struct list *list, int value) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return -1;
    node->next = NULL;
    node->value = value;
    append_at_tail(list, node);
    return 0;
}

int failed_append_is_freed_ok(struct list *list, int value) {
    struct node *node = node_new(value);
    if (!node)
        return -1;
    if (append_limited(list, node) != 0) {
        free(node);
        return -1;
    }
    return 0;
}

int duplicate_is_freed_ok(struct list *list, int value) {
    struct node *node = node_new(value);
    if (!node)
        return -1;
    if (!insert_unless_there(list, node))
        free(node);
    return 0;
}

int list_built_and_freed_ok(void) {
    struct list list = { NULL, NULL, 0, 10 };
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        struct node *node = node_new(i);
        if (node)
            append_at_tail(&list, node);
    }
    while (list.head) {
        struct node *node = list.head;
        list.head = node->next;
        sum += node->value;
        free(node);
    }
    return sum;
}

int failed_append_is_ignored_bad(struct list *list, int value) {
    struct node *node = node_new(value);    //~ memory-leak "node"
    if (!node)
        return -1;
    append_limited(list, node);
    return 0;
}

void append_to_no_list_bad(struct list *list, int value) {
    struct node *node = node_new(value);    //~ memory-leak "node"
    if (!node)
        return;
    append_unless_null(list, node);
}

int duplicate_is_ignored_bad(struct list *list, int value) {
    struct node *node = malloc(sizeof *node);    //~ memory-leak "node"
    if (!node)
        return -1;
    node->value = value;
    if (!insert_unless_there(list, node))
        return 1;
    return 0;
}
