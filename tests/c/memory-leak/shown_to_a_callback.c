// An allocator shows what it makes to a function that it was given, and returns it. What that function does is known where it is
// given: one that looks keeps nothing.
#include "stubs.h"

typedef void (*watcher)(const char *text, void *data);
struct box {
    int number;
    void (*changed)(struct box *box);
};

static struct box *last;

static void print_it(const char *text, void *data) { printf("%s\n", text); }
static void look(struct box *box) { printf("%d\n", box->number); }
static void store(struct box *box) { last = box; }

static char *make(const char *from, watcher watch) {
    char *text = strdup(from);
    if (text)
        watch(text, NULL);
    return text;
}

static struct box *box_new(int number, void (*changed)(struct box *)) {
    struct box *box = malloc(sizeof *box);
    if (!box)
        return NULL;
    box->number = number;
    box->changed = changed;
    changed(box);
    return box;
}

int text_bad(const char *from) {
    char *text = make(from, print_it);    //~ memory-leak "text"
    if (!text)
        return -1;
    if (text[0] == '#')
        return 0;
    free(text);
    return 1;
}

int box_bad(int number) {
    struct box *box = box_new(number, look);    //~ memory-leak "box"
    return box ? box->number : -1;
}

// The callee is not known, but the text is released here where all goes well.
int any_watcher_bad(const char *from, watcher watch) {
    char *text = make(from, watch);    //~ memory-leak "text"
    if (!text)
        return -1;
    if (text[0] == '#')
        return -2;
    free(text);
    return 1;
}

int text_ok(const char *from) {
    char *text = make(from, print_it);
    int first = text ? text[0] : 0;
    free(text);
    return first;
}

int box_stored_ok(int number) {
    struct box *box = box_new(number, store);
    return box ? box->number : -1;
}

int any_changed_ok(int number, void (*changed)(struct box *)) {
    struct box *box = box_new(number, changed);
    return box ? box->number : -1;
}
