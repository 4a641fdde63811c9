// The allocations and the releases are in another file.
#include "stubs.h"

struct box {
    char *content;
    struct box *next;
};

struct box *box_new(const char *content);
void box_free(struct box *box);
void box_empty(struct box *box);
void box_store(struct box *box, char *content);
const char *box_show(const struct box *box);
int box_load(char **out, int size);

int constructor_and_destructor_ok(const char *text) {
    struct box *box = box_new(text);
    if (!box)
        return -1;
    puts(box_show(box));
    box_free(box);
    return 0;
}

int stored_into_field_ok(const char *text) {
    struct box *box = box_new("first");
    if (!box)
        return -1;
    box_store(box, strdup(text));
    box_free(box);
    return 0;
}

int loaded_through_argument_ok(int size) {
    char *bytes;
    if (box_load(&bytes, size) != 0)
        return -1;
    free(bytes);
    return 0;
}

int destructor_not_called_bad(const char *text, int quiet) {
    struct box *box = box_new(text);    //~ memory-leak "box"
    if (!box)
        return -1;
    if (quiet)
        return 0;
    puts(box_show(box));
    box_free(box);
    return 0;
}

int only_emptied_bad(const char *text) {
    struct box *box = box_new(text);    //~ memory-leak "box"
    if (!box)
        return -1;
    box_empty(box);
    return 0;
}

int stored_into_local_bad(const char *text) {
    struct box box = { NULL, NULL };
    box_store(&box, strdup(text));    //~ memory-leak
    return box.next == NULL;
}

int loaded_through_argument_bad(int size) {
    char *bytes;
    if (box_load(&bytes, size) == 0)    //~ memory-leak "bytes"
        return 0;
    return -1;
}
