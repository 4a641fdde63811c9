// The pointer is copied as bytes: alone, inside a struct, inside an array.
#include "stubs.h"

struct record {
    int id;
    char *name;
};

void copied_into_parameter_ok(struct record *to, const char *text) {
    char *name = strdup(text);
    memcpy(&to->name, &name, sizeof name);
}

void copied_and_freed_by_copy_ok(const char *text) {
    char *name = strdup(text);
    char *other;
    memcpy(&other, &name, sizeof other);
    free(other);
}

void whole_struct_copied_ok(struct record *to, const char *text) {
    struct record local = { 1, strdup(text) };
    memcpy(to, &local, sizeof local);
}

struct record *shell_replaced_ok(const char *text) {
    struct record *old = malloc(sizeof *old);
    if (!old)
        return NULL;
    old->id = 1;
    old->name = strdup(text);
    struct record *fresh = malloc(sizeof *fresh);
    if (!fresh) {
        free(old->name);
        free(old);
        return NULL;
    }
    memcpy(fresh, old, sizeof *fresh);
    free(old);
    return fresh;
}

void moved_inside_array_ok(const char *text) {
    char *slots[3] = { NULL, NULL, NULL };
    slots[0] = strdup(text);
    memmove(&slots[1], &slots[0], 2 * sizeof slots[0]);
    slots[0] = NULL;
    for (int i = 0; i < 3; i++)
        free(slots[i]);
}

void copied_through_bytes_ok(const char *text) {
    unsigned char bytes[sizeof(char *)];
    char *name = strdup(text);
    memcpy(bytes, &name, sizeof name);
    name = NULL;
    memcpy(&name, bytes, sizeof name);
    free(name);
}

int copied_into_dying_local_bad(const char *text) {
    struct record local;
    char *name = strdup(text);    //~ memory-leak
    if (!name)
        return -1;
    memcpy(&local.name, &name, sizeof name);
    return local.name[0];
}

int copied_into_dying_bytes_bad(const char *text) {
    unsigned char bytes[sizeof(char *)];
    char *name = strdup(text);    //~ memory-leak
    if (!name)
        return -1;
    memcpy(bytes, &name, sizeof name);
    return 0;
}

int shell_freed_after_copy_bad(const char *text) {
    struct record *old = malloc(sizeof *old);
    if (!old)
        return -1;
    old->id = 1;
    old->name = strdup(text);    //~ memory-leak
    struct record fresh;
    memcpy(&fresh, old, sizeof fresh);
    free(old);
    return fresh.id;
}

void overwritten_by_copy_bad(struct record *to, const struct record *from, const char *text) {
    to->name = strdup(text);    //~ memory-leak "to->name"
    memcpy(to, from, sizeof *to);
}
