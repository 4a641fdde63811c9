// A header with a mark stands before what callers see. Functions of the library that fill what callers see leave the
// header alone, so the mark still tells what to release.
#include "stubs.h"

struct view {
    unsigned version;
    unsigned words[6];
};

struct box {
    unsigned mark;
    unsigned size;
    struct view view;
};

static struct view *box_new(void) {
    struct box *box = calloc(1, sizeof *box);
    if (!box)
        return NULL;
    box->mark = 0xca90d0;
    box->size = sizeof *box;
    return &box->view;
}

static int box_free(void *view) {
    struct box *box = (void *)((unsigned *)view - 2);
    if (box->mark != 0xca90d0)
        return -1;
    free(box);
    return 0;
}

int read_ok(int fd) {
    struct view *view = box_new();
    if (!view)
        return -1;
    if (read(fd, view->words, sizeof view->words) != sizeof view->words) {
        box_free(view);
        return -1;
    }
    int first = view->words[0];
    box_free(view);
    return first;
}

int read_bad(int fd) {
    struct view *view = box_new(); //~ memory-leak
    if (!view)
        return -1;
    if (read(fd, view->words, sizeof view->words) != sizeof view->words)
        return -1;
    int first = view->words[0];
    box_free(view);
    return first;
}
