// A function that returns its argument, called inside expressions.
#include "stubs.h"

static char *chomp(char *text) {
    char *end = strrchr(text, '\n');
    return end ? (*end = '\0', text) : text;
}

char *chomped_copy_ok(const char *line) {
    char *copy = strdup(line);
    return copy ? chomp(copy) : copy;
}

size_t chomped_and_freed_ok(const char *line) {
    char *copy, *same;
    size_t length = 0;
    if ((copy = strdup(line)) != NULL && (length = strlen(same = chomp(copy)), 1))
        free(same);
    return length;
}

size_t chomped_and_measured_bad(const char *line) {
    char *copy = strdup(line);    //~ memory-leak "copy"
    return copy ? strlen(chomp(copy)) : 0;
}
