// Functions that are passed along or carried by an object, and called back to release what it holds.
#include "stubs.h"

struct node {
    struct node *next;
    void *data;
};

typedef void destroy(void *data);

static struct node *push(struct node *list, void *data) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return NULL;
    node->next = list;
    node->data = data;
    return node;
}

static void each(struct node *list, destroy *function) {
    for (; list; list = list->next)
        function(list->data);
}

static void end(struct node *list, destroy *function) {
    while (list) {
        struct node *next = list->next;
        if (function)
            function(list->data);
        free(list);
        list = next;
    }
}

static void nothing(void *data) { (void)data; }

int ended_with_free_ok(const char *text) {
    char *copy = strdup(text);
    struct node *list;
    if (!copy)
        return -1;
    list = push(NULL, copy);
    if (!list) {
        free(copy);
        return -1;
    }
    end(list, free);
    return 0;
}

int ended_without_function_bad(const char *text) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    struct node *list;
    if (!copy)
        return -1;
    list = push(NULL, copy);
    if (!list) {
        free(copy);
        return -1;
    }
    end(list, NULL);
    return 0;
}

int ended_with_nothing_bad(const char *text) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    struct node *list;
    if (!copy)
        return -1;
    list = push(NULL, copy);
    if (!list) {
        free(copy);
        return -1;
    }
    end(list, nothing);
    return 0;
}

int each_freed_ok(const char *text) {
    struct node node = { NULL, strdup(text) };
    each(&node, free);
    return 0;
}

int each_seen_bad(const char *text) {
    struct node node = { NULL, strdup(text) };    //~ memory-leak "`node.data`"
    each(&node, nothing);
    return 0;
}

// An object that knows how to release what it holds.
struct box {
    void *content;
    destroy *destroy;
};

static int box_fill(struct box *box, const char *text) {
    box->content = strdup(text);
    box->destroy = free;
    return box->content ? 0 : -1;
}

static void box_lend(struct box *box, void *content) {
    box->content = content;
    box->destroy = nothing;
}

static void box_end(struct box *box) {
    if (box->destroy)
        box->destroy(box->content);
    box->content = NULL;
}

int box_ended_ok(const char *text) {
    struct box box = { NULL, NULL };
    if (box_fill(&box, text) < 0)
        return -1;
    box_end(&box);
    return 0;
}

int box_forgotten_bad(const char *text) {
    struct box box = { NULL, NULL };
    if (box_fill(&box, text) < 0)    //~ memory-leak "`box.content`"
        return -1;
    return 0;
}

int box_lent_bad(const char *text) {
    struct box box = { NULL, NULL };
    char *copy = strdup(text);    //~ memory-leak "copy"
    box_lend(&box, copy);
    box_end(&box);
    return 0;
}

// Who passes it on knows no more.
static void box_reset(struct box *box) { box_end(box); }

int box_reset_ok(const char *text) {
    struct box box = { NULL, NULL };
    if (box_fill(&box, text) < 0)
        return -1;
    box_reset(&box);
    return 0;
}

int function_of_others_ok(const char *text, destroy *function) {
    struct node node = { NULL, strdup(text) };
    each(&node, function);
    return 0;
}
