// Descriptors in small structures that are passed and returned by value.
#include "stubs.h"

struct handle {
    int descriptor;
};

struct named {
    int descriptor;
    char *name;
};

static struct handle handle_of(const char *name) {
    struct handle handle = { open(name, O_RDONLY) };
    return handle;
}

static struct named named_of(const char *name) {
    struct named named;
    named.descriptor = open(name, O_RDONLY);
    named.name = strdup(name);
    return named;
}

static void handle_end(struct handle handle) {
    if (handle.descriptor >= 0)
        close(handle.descriptor);
}

static void named_end(struct named named) {
    if (named.descriptor >= 0)
        close(named.descriptor);
    free(named.name);
}

int handle_ended_ok(const char *name) {
    struct handle handle = handle_of(name);
    handle_end(handle);
    return 0;
}

int named_ended_ok(const char *name) {
    struct named named = named_of(name);
    named_end(named);
    return 0;
}

int handle_forgotten_bad(const char *name) {
    struct handle handle = handle_of(name);    //~ resource-leak "handle"
    return handle.descriptor < 0 ? -1 : 0;
}

int descriptor_forgotten_bad(const char *name) {
    struct named named = named_of(name);    //~ resource-leak "`named.descriptor`"
    free(named.name);
    return 0;
}
