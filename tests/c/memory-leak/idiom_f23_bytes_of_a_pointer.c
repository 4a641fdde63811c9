// The bytes of a pointer are copied.
#include "stubs.h"

struct holder {
    int kind;
    unsigned char raw[sizeof(void *)];
};

void into_caller_bytes_ok(unsigned char *out, const char *text) {
    char *copy = strdup(text);
    memcpy(out, &copy, sizeof copy);
}

int out_and_back_ok(const char *text) {
    unsigned char raw[sizeof(char *)];
    char *copy = strdup(text), *again;
    memcpy(raw, &copy, sizeof copy);
    memcpy(&again, raw, sizeof again);
    free(again);
    return 0;
}

void whole_struct_moved_ok(struct holder *to, const char *text) {
    struct holder holder = { 1, { 0 } };
    char *copy = strdup(text);
    memmove(holder.raw, &copy, sizeof copy);
    memcpy(to, &holder, sizeof holder);
}

int into_local_that_dies_bad(const char *text) {
    struct holder holder = { 2, { 0 } };
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    memcpy(holder.raw, &copy, sizeof copy);
    return holder.kind;
}
