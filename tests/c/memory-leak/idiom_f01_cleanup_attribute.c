// A variable with a cleanup function is released at the end of its scope, on every way out.
#include "stubs.h"

static void free_pointer(void *place) { free(*(void **)place); }
static void free_string(char **place) { free(*place); }
static void forget_string(char **place) { *place = NULL; }

#define auto_free __attribute__((cleanup(free_pointer)))
#define auto_string __attribute__((cleanup(free_string))) char *

static char *steal_string(char **place) {
    char *value = *place;
    *place = NULL;
    return value;
}

int early_returns_ok(const char *text, int stop) {
    auto_string copy = strdup(text);
    if (!copy)
        return -1;
    if (stop)
        return 0;
    puts(copy);
    return 1;
}

int generic_cleanup_ok(size_t size) {
    auto_free char *first = malloc(size);
    if (!first)
        return -1;
    auto_free char *second = malloc(size);
    if (!second)
        return -1;
    return 0;
}

int scope_inside_loop_ok(char *const *words, int count) {
    int total = 0;
    for (int i = 0; i < count; i++) {
        auto_string copy = strdup(words[i]);
        if (!copy)
            break;
        if (copy[0] == '#')
            continue;
        total += copy[0];
    }
    return total;
}

char *stolen_on_success_ok(const char *text, int reject) {
    auto_string copy = strdup(text);
    if (!copy || reject)
        return NULL;
    return steal_string(&copy);
}

int reassigned_after_release_ok(const char *first, const char *second) {
    auto_string line = strdup(first);
    if (!line)
        return -1;
    puts(line);
    free(line);
    line = strdup(second);
    if (!line)
        return -1;
    puts(line);
    return 0;
}

struct buffer {
    char *data;
    char *name;
};

static void buffer_clear(struct buffer *buffer) {
    free(buffer->data);
    free(buffer->name);
}

static void buffer_clear_data(struct buffer *buffer) {
    free(buffer->data);
}

int struct_cleanup_ok(const char *name) {
    __attribute__((cleanup(buffer_clear))) struct buffer buffer = { NULL, NULL };
    buffer.data = malloc(16);
    if (!buffer.data)
        return -1;
    buffer.name = strdup(name);
    if (!buffer.name)
        return -1;
    return 0;
}

int struct_cleanup_forgets_member_bad(const char *name) {
    __attribute__((cleanup(buffer_clear_data))) struct buffer buffer = { NULL, NULL };
    buffer.data = malloc(16);
    if (!buffer.data)
        return -1;
    buffer.name = strdup(name);    //~ memory-leak "buffer.name"
    if (!buffer.name)
        return -1;
    return 0;
}

int cleanup_that_does_not_release_bad(const char *text) {
    __attribute__((cleanup(forget_string))) char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    return puts(copy);
}

int reassigned_before_scope_end_bad(const char *first, const char *second) {
    auto_string line = strdup(first);    //~ memory-leak "line"
    if (!line)
        return -1;
    puts(line);
    line = strdup(second);
    return line ? 0 : -1;
}

int stolen_and_dropped_bad(const char *text) {
    auto_string copy = strdup(text);    //~ memory-leak
    if (!copy)
        return -1;
    char *taken = steal_string(&copy);
    return taken[0];
}

int set_to_null_bad(const char *text, int keep) {
    auto_string copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (keep)
        copy = NULL;
    return 0;
}
