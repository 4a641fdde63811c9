// A callee fills an array and counts what it put there. That the count is zero where
// the array exists is nothing that the code can do, only something that a summary
// without the count does not exclude.
#include "stubs.h"

static void must_have(void *block) {
    if (!block)
        exit(1);
}

static void split(const char *text, const char ***parts, unsigned *count) {
    *parts = NULL;
    *count = 0;
    for (const char *end; (end = strchr(text, ':')) != NULL; text = end + 1) {
        *parts = realloc(*parts, (*count + 1) * sizeof **parts);
        must_have(*parts);
        (*parts)[(*count)++] = text;
    }
}

const char *first_of_ok(const char *text) {
    const char **parts;
    unsigned count;
    split(text, &parts, &count);
    if (count == 0)
        return NULL;
    const char *first = parts[0];
    free(parts);
    return first;
}

const char *first_of_bad(const char *text, int strict) {
    const char **parts;
    unsigned count;
    split(text, &parts, &count);    //~ memory-leak
    if (count == 0 || strict)
        return NULL;
    const char *first = parts[0];
    free(parts);
    return first;
}
