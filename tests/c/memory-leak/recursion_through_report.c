// An allocator that reports failure, where the report itself allocates: all of them call each other in a circle, and
// what one of them hands out must still be seen by those who call it.
#include "stubs.h"

void show(const char *text);
static char *label_of(const char *what);

static void report(const char *what) {
    char *text = label_of(what);
    if (!text)
        return;
    show(text);
    free(text);
}

static void *allocate(size_t size) {
    void *memory = malloc(size);
    if (!memory)
        report("no memory");
    return memory;
}

static char *text_of(const char *what) {
    char *text = allocate(64);
    if (text)
        strcpy(text, what);
    return text;
}

static char *label_of(const char *what) {
    char *label = text_of(what);
    if (label)
        label[0] = '*';
    return label;
}

void shown_ok(const char *what) {
    char *text = label_of(what);
    if (!text)
        return;
    show(text);
    free(text);
}

void shown_bad(const char *what) {
    char *text = label_of(what);    //~ memory-leak "text"
    if (!text)
        return;
    show(what);
}
