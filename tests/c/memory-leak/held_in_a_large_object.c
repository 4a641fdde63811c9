// What a callee puts into a fresh object stays reachable from it, however large the
// object is and whether or not all paths put it there.
#include "stubs.h"

struct view {
    int numbers[40];
    void *data;
    void (*draw)(void *data);
};

struct screen {
    struct view *view;
};

static int show(struct screen *screen, void (*draw)(void *), void *data) {
    struct view *view = malloc(sizeof *view);
    if (!view)
        return -1;
    view->numbers[0] = 1, view->numbers[1] = 2, view->numbers[2] = 3, view->numbers[3] = 4;
    view->numbers[4] = 1, view->numbers[5] = 2, view->numbers[6] = 3, view->numbers[7] = 4;
    view->numbers[8] = 1, view->numbers[9] = 2, view->numbers[10] = 3, view->numbers[11] = 4;
    view->numbers[12] = 1, view->numbers[13] = 2, view->numbers[14] = 3, view->numbers[15] = 4;
    view->numbers[16] = 1, view->numbers[17] = 2, view->numbers[18] = 3, view->numbers[19] = 4;
    view->numbers[20] = 1, view->numbers[21] = 2, view->numbers[22] = 3, view->numbers[23] = 4;
    view->numbers[24] = 1, view->numbers[25] = 2, view->numbers[26] = 3, view->numbers[27] = 4;
    view->numbers[28] = 1, view->numbers[29] = 2, view->numbers[30] = 3, view->numbers[31] = 4;
    view->numbers[32] = 1, view->numbers[33] = 2, view->numbers[34] = 3, view->numbers[35] = 4;
    view->data = data;
    view->draw = draw;
    screen->view = view;
    return 0;
}

int show_text_ok(struct screen *screen, void (*draw)(void *), const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (show(screen, draw, copy) != 0) {
        free(copy);
        return -1;
    }
    return 0;
}

int show_text_bad(struct screen *screen, void (*draw)(void *), const char *text) {
    char *copy = strdup(text);    //~ memory-leak
    if (!copy)
        return -1;
    return show(screen, draw, copy);
}

struct entry {
    const char *key;
    char *value;
};

static struct entry *entry_new(const char *key, char *value, int with_value) {
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->key = key;
    if (with_value || key[0] == '=')
        entry->value = value;
    return entry;
}

struct entry *entry_of_bad(const char *key, const char *text, int with_value) {
    char *value = strdup(text);    //~ memory-leak
    if (!value)
        return NULL;
    struct entry *entry = entry_new(key, value, with_value);
    if (!entry)
        free(value);
    return entry;
}
