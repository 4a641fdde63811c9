// The result may be the input itself or a fresh block.
#include "stubs.h"

static char *quote(char *text) {
    if (!strchr(text, ' '))
        return text;
    size_t length = strlen(text);
    char *quoted = malloc(length + 3);
    if (!quoted)
        return text;
    quoted[0] = '"';
    memcpy(quoted + 1, text, length);
    quoted[length + 1] = '"';
    quoted[length + 2] = '\0';
    return quoted;
}

static const char *name_of(int number, char **to_free) {
    *to_free = NULL;
    if (number == 0)
        return "zero";
    char *text = malloc(16);
    if (!text)
        return "?";
    snprintf(text, 16, "%d", number);
    *to_free = text;
    return text;
}

void freed_if_different_ok(char *text) {
    char *quoted = quote(text);
    puts(quoted);
    if (quoted != text)
        free(quoted);
}

char *returned_either_way_ok(char *text) {
    char *quoted = quote(text);
    return quoted;
}

void freed_through_second_pointer_ok(int number) {
    char *to_free;
    const char *name = name_of(number, &to_free);
    puts(name);
    free(to_free);
}

void constant_or_heap_ok(const char *text) {
    const char *shown = "default";
    char *copy = NULL;
    if (text) {
        copy = strdup(text);
        if (copy)
            shown = copy;
    }
    puts(shown);
    free(copy);
}

void freed_never_bad(char *text) {
    char *quoted = quote(text);    //~ memory-leak "quoted"
    puts(quoted);
}

void freed_only_if_equal_bad(char *text) {
    char *quoted = quote(text);    //~ memory-leak "quoted"
    puts(quoted);
    if (quoted == text)
        free(quoted);
}

void second_pointer_ignored_bad(int number) {
    char *to_free;
    const char *name = name_of(number, &to_free);    //~ memory-leak
    puts(name);
}
