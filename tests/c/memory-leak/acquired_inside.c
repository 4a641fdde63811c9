// The story of a leak leads through the program's own functions to the call that acquires.
#include "stubs.h"

struct label {
    char *text;
    int size;
};

static void *get(size_t size) {
    return malloc(size);
}

static struct label *new_label(int size) {
    struct label *label = get(sizeof *label);    //~ note "`get` allocates it here"
    if (!label)
        return NULL;
    label->size = size;
    label->text = get(size);    //~ note "`get` allocates it here: a second block"
    return label;
}

int drop_label_bad(int size) {
    struct label *label = new_label(size);    //~ memory-leak "label"
    return label ? label->size : 0;
}

int drop_text_bad(int size) {
    struct label *label = new_label(size);    //~ memory-leak "new_label"
    if (!label)
        return 0;
    free(label);
    return 1;
}

int keep_nothing_ok(int size) {
    struct label *label = new_label(size);
    if (!label)
        return 0;
    free(label->text);
    free(label);
    return 1;
}
