// Values that go round in loops, with gotos and pointer arithmetic.
#include "stubs.h"

char *longest_line_ok(FILE *file) {
    char *best = NULL, buffer[256];
again:
    if (!fgets(buffer, sizeof buffer, file))
        return best;
    if (!best || strlen(buffer) > strlen(best)) {
        char *copy = strdup(buffer);
        if (!copy)
            goto again;
        free(best);
        best = copy;
    }
    goto again;
}

size_t spaces_ok(const char *text) {
    char *copy = strdup(text), *p = copy;
    size_t count = 0;
    while (p && *p)
        count += *p++ == ' ';
    free(copy);
    return count;
}

size_t start_is_lost_bad(const char *text) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    size_t count = 0;
    if (!copy)
        return 0;
    while (*copy)
        count += *copy++ == ' ';
    return count;
}
