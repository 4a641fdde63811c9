// What a function of the program does with its variable arguments is seen in its body: formatting, measuring and comparing them
// keeps nothing. Whoever stores or releases one answers for it.
#include "stubs.h"

static void put(const char *format, va_list list) { vfprintf(stderr, format, list); }

// Hands its list on, and a copy of it.
static void note(const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    put(format, list);
    put(format, again);
    va_end(again);
    va_end(list);
}

// Walks over its arguments by itself.
static size_t length_of(int count, ...) {
    va_list list;
    size_t sum = 0;
    va_start(list, count);
    while (count-- > 0) {
        const char *text = va_arg(list, const char *);
        sum += strlen(text);
    }
    va_end(list);
    return sum;
}

// Gives its arguments to another one.
static void complain(const char *who, const char *what) { note("%s: %s\n", who, what); }

static char *newest;

static void remember(int count, ...) {
    va_list list;
    va_start(list, count);
    while (count-- > 0)
        newest = va_arg(list, char *);
    va_end(list);
}

static void release_all(int count, ...) {
    va_list list;
    va_start(list, count);
    while (count-- > 0)
        free(va_arg(list, void *));
    va_end(list);
}

int noted_bad(const char *name) {
    char *path = strdup(name);    //~ memory-leak "path"
    if (!path)
        return -1;
    note("open %s\n", path);
    if (path[0] == '.')
        return -2;
    free(path);
    return 0;
}

int measured_bad(const char *first, const char *second) {
    char *a = strdup(first);    //~ memory-leak "a"
    if (!a)
        return -1;
    printf("%zu\n", length_of(2, a, second));
    if (first[0] == '#')
        return 1;
    free(a);
    return 0;
}

int complained_bad(const char *name) {
    char *copy = strdup(name);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    complain(copy, "is not there");
    return 0;
}

int noted_ok(const char *name) {
    char *path = strdup(name);
    if (!path)
        return -1;
    note("open %s\n", path);
    free(path);
    return 0;
}

int remembered_ok(const char *name) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    remember(1, copy);
    return 0;
}

int released_ok(const char *first, const char *second) {
    char *a = strdup(first);
    char *b = strdup(second);
    int same = a && b && strcmp(a, b) == 0;
    release_all(2, a, b);
    return same;
}
