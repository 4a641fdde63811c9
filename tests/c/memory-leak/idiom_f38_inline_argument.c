// The argument is made on the spot, inside larger expressions.
#include "stubs.h"

static size_t width(const char *text) { return text ? strlen(text) : 0; }
static size_t width_and_free(char *text) {
    size_t n = width(text);
    free(text);
    return n;
}

size_t sum_of_widths_ok(const char *a, const char *b) {
    return width_and_free(strdup(a)) + width_and_free(strdup(b));
}

size_t sum_of_widths_bad(const char *a, const char *b) {
    return width_and_free(strdup(a)) + width(strdup(b));    //~ memory-leak
}

int printed_bad(const char *text) {
    return printf("%s\n", strndup(text, 8));    //~ memory-leak
}
