// Calls through pointers: constant tables, tables chosen by an index, pointers in structs.
#include "stubs.h"

struct operations {
    char *(*open)(const char *name);
    void (*close)(char *handle);
};

static char *text_open(const char *name) { return strdup(name); }
static void text_close(char *handle) { free(handle); }
static void null_close(char *handle) { puts(handle); }

static const struct operations text_operations = { text_open, text_close };
static const struct operations lazy_operations = { text_open, null_close };

static char *(*const openers[2])(const char *) = { text_open, text_open };
static void (*const closers[2])(char *) = { text_close, text_close };

int constant_table_ok(const char *name) {
    char *handle = text_operations.open(name);
    if (!handle)
        return -1;
    text_operations.close(handle);
    return 0;
}

int pointer_to_table_ok(const char *name) {
    const struct operations *operations = &text_operations;
    char *handle = operations->open(name);
    if (!handle)
        return -1;
    operations->close(handle);
    return 0;
}

int indexed_table_ok(unsigned int index, const char *name) {
    char *handle = openers[index & 1](name);
    if (!handle)
        return -1;
    closers[index & 1](handle);
    return 0;
}

int chosen_at_run_time_ok(int loud, const char *name) {
    void (*finish)(char *) = text_close;
    char *handle = strdup(name);
    if (!handle)
        return -1;
    if (loud)
        puts(handle);
    finish(handle);
    return 0;
}

int unknown_pointer_ok(void (*finish)(char *), const char *name) {
    char *handle = strdup(name);
    if (!handle)
        return -1;
    finish(handle);
    return 0;
}

int constant_table_bad(const char *name) {
    char *handle = lazy_operations.open(name);    //~ memory-leak "handle"
    if (!handle)
        return -1;
    lazy_operations.close(handle);
    return 0;
}

int chosen_at_run_time_bad(int loud, const char *name) {
    void (*finish)(char *) = loud ? null_close : text_close;
    char *handle = strdup(name);    //~ memory-leak "handle"
    if (!handle)
        return -1;
    finish(handle);
    return 0;
}

int opened_through_index_bad(unsigned int index, const char *name) {
    char *handle = openers[index & 1](name);    //~ memory-leak "handle"
    if (!handle)
        return -1;
    return handle[0];
}
