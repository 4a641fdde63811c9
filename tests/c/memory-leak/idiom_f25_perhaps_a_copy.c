// The result is either the input or a fresh block.
#include "stubs.h"

static const char *quoted(const char *text) {
    if (!strchr(text, ' '))
        return text;
    char *copy = malloc(strlen(text) + 3);
    if (!copy)
        return text;
    snprintf(copy, strlen(text) + 3, "\"%s\"", text);
    return copy;
}

int printed_ok(const char *text) {
    const char *shown = quoted(text);
    puts(shown);
    if (shown != text)
        free((char *)shown);
    return 0;
}

int on_stack_or_heap_ok(const char *text, size_t length) {
    char small[32];
    char *work = length < sizeof small ? small : malloc(length + 1);
    if (!work)
        return -1;
    memcpy(work, text, length);
    work[length] = 0;
    puts(work);
    if (work != small)
        free(work);
    return 0;
}

int only_if_equal_bad(const char *text) {
    const char *shown = quoted(text);    //~ memory-leak "shown"
    puts(shown);
    if (shown == text)
        return 1;
    return 0;
}

int stack_or_heap_forgotten_bad(const char *text, size_t length) {
    char small[32];
    char *work = small;
    if (length >= sizeof small)
        work = malloc(length + 1);    //~ memory-leak "work"
    if (!work)
        return -1;
    memcpy(work, text, length);
    return work[0];
}
