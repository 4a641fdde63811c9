// An empty string stands for no string, and is never freed.
#include "stubs.h"

static char empty[1];

static char *copy_or_empty(const char *text) {
    char *copy = text && *text ? strdup(text) : NULL;
    return copy ?: empty;
}
static void free_unless_empty(char *text) { if (text != empty) free(text); }

size_t measured_ok(const char *text) {
    char *copy = copy_or_empty(text);
    size_t length = strlen(copy);
    free_unless_empty(copy);
    return length;
}

size_t freed_if_empty_bad(const char *text) {
    char *copy = copy_or_empty(text);    //~ memory-leak "copy"
    size_t length = strlen(copy);
    if (copy == empty)
        free_unless_empty(copy);
    return length;
}
