// A loop puts nodes of two kinds in front of a list; however many there are, the list is freed to its end.
#include "stubs.h"

struct node {
    struct node *next;
    char *name;
};

struct list {
    struct node *first;
};

static void put(struct list *list, const char *name) {
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        abort();
    node->next = list->first;
    list->first = node;
    node->name = strdup(name);
}

static void put_nameless(struct list *list) {
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        abort();
    node->next = list->first;
    list->first = node;
}

static void list_end(struct list *list) {
    while (list->first) {
        struct node *node = list->first;
        list->first = node->next;
        free(node->name);
        free(node);
    }
}

static void list_end_without_names(struct list *list) {
    while (list->first) {
        struct node *node = list->first;
        list->first = node->next;
        free(node);
    }
}

void turns_ok(const char *text, int two) {
    struct list list = {NULL};
    put(&list, "first");
    while (*text) {
        if (two)
            put_nameless(&list);
        else
            text++;
        put(&list, text);
    }
    list_end(&list);
}

void turns_bad(const char *text, int two) {
    struct list list = {NULL};
    put(&list, "first");    //~ memory-leak
    while (*text) {
        if (two)
            put_nameless(&list);
        else
            text++;
        put(&list, text);    //~ memory-leak
    }
    list_end_without_names(&list);
}
