// Singly linked lists: built at the head and at the tail, released by every kind of loop.
#include "stubs.h"
int more(void);

struct node { struct node *next; int value; };

static struct node *node_new(struct node *next) {
    struct node *made = malloc(sizeof *made);
    if (!made)
        exit(1);
    made->next = next;
    made->value = 0;
    return made;
}

static struct node *stack(int n) {
    struct node *head = NULL;
    for (int i = 0; i < n; i++)
        head = node_new(head);
    return head;
}

static struct node *queue(void) {
    struct node *head = NULL, **tail = &head;
    while (more()) {
        *tail = node_new(NULL);
        tail = &(*tail)->next;
    }
    return head;
}

static void by_while(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

static void by_for(struct node *list) {
    struct node *at, *next;
    for (at = list; at != NULL; at = next) {
        next = at->next;
        free(at);
    }
}

static void by_do(struct node *list) {
    if (!list)
        return;
    do {
        struct node *dead = list;
        list = list->next;
        free(dead);
    } while (list);
}

static void by_recursion(struct node *list) {
    if (!list)
        return;
    by_recursion(list->next);
    free(list);
}

static void by_address(struct node **list) {
    while (*list) {
        struct node *dead = *list;
        *list = dead->next;
        free(dead);
    }
}

int stack_while_ok(int n) {
    by_while(stack(n));
    return 0;
}

int stack_for_ok(int n) {
    struct node *list = stack(n);
    by_for(list);
    return 0;
}

int stack_do_ok(int n) {
    struct node *list = stack(n);
    by_do(list);
    return 0;
}

int stack_recursion_ok(int n) {
    struct node *list = stack(n);
    by_recursion(list);
    return 0;
}

int stack_address_ok(int n) {
    struct node *list = stack(n);
    by_address(&list);
    return 0;
}

int queue_while_ok(int n) {
    struct node *list = queue();
    by_while(list);
    return n;
}

int queue_recursion_ok(int n) {
    struct node *list = queue();
    by_recursion(list);
    return n;
}

int queue_address_ok(int n) {
    struct node *list = queue();
    by_address(&list);
    return n;
}

int stack_bad(int n) {
    struct node *list = stack(n);    //~ memory-leak
    if (n > 2)
        return 1;
    by_while(list);
    return 0;
}

int queue_bad(int n) {
    struct node *list = queue();    //~ memory-leak
    if (n > 2)
        return 1;
    by_recursion(list);
    return 0;
}

int only_the_head_bad(int n) {
    struct node *list = node_new(NULL);
    list->next = node_new(NULL);    //~ memory-leak
    free(list);
    return n;
}

int three_ok(int n) {
    struct node *list = node_new(NULL);
    list->next = node_new(NULL);
    list->next->next = node_new(NULL);
    by_for(list);
    return n;
}

int second_cut_off_bad(int n) {
    struct node *list = node_new(NULL);
    list->next = node_new(NULL);    //~ memory-leak
    list->next = NULL;
    by_do(list);
    return n;
}

static struct node *last(struct node *list) {
    while (list->next)
        list = list->next;
    return list;
}

int appended_to_last_ok(int n) {
    struct node *list = node_new(NULL);
    for (int i = 0; i < n; i++)
        last(list)->next = node_new(NULL);
    by_while(list);
    return 0;
}

// Only what is behind the last one is released.
int from_the_last_bad(int n) {
    struct node *list = node_new(NULL);    //~ memory-leak
    list->next = node_new(NULL);
    by_while(last(list));
    return n;
}

struct list { struct node *head, *tail; int count; };

static void list_append(struct list *list) {
    struct node *made = node_new(NULL);
    if (list->tail)
        list->tail->next = made;
    else
        list->head = made;
    list->tail = made;
    list->count++;
}

static void list_clear(struct list *list) {
    struct node *next;
    for (struct node *at = list->head; at; at = next) {
        next = at->next;
        free(at);
    }
    list->head = list->tail = NULL;
    list->count = 0;
}

int in_a_structure_ok(int n) {
    struct list list = { 0 };
    list_append(&list);
    list_append(&list);
    list_append(&list);
    list_clear(&list);
    return n;
}

int in_a_structure_by_loop_ok(int n) {
    struct list list = { 0 };
    while (more())
        list_append(&list);
    list_clear(&list);
    return n;
}

int in_a_structure_bad(int n) {
    struct list list = { 0 };
    list_append(&list);    //~ memory-leak
    if (n > 2)
        return 1;
    list_clear(&list);
    return 0;
}
