// What a loss needs of its caller, and whether a caller does it: what a call passes, what it has made sure of before, and what it has just filled in.
#include "stubs.h"

struct link { int state; int kind; int flags; char *name; };
enum { NEW = 1, OPEN = 2, DEAD = 3 };

// A dead link gets no name; every caller has one that is not dead.
static int name_link(struct link *link, const char *name) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    if (link->state == DEAD)
        return -2;
    free(link->name);
    link->name = copy;
    return 0;
}
int named_when_made_ok(const char *name) {
    struct link link = {NEW, 0, 0, NULL};
    int result = name_link(&link, name);
    free(link.name);
    return result;
}
int named_when_asked_ok(struct link *link, const char *name) {
    if (link->state == DEAD)
        return -1;
    return name_link(link, name);
}

// The same, and one of the callers does not ask.
static int rename_link_bad(struct link *link, const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (link->state == DEAD)
        return -2;
    free(link->name);
    link->name = copy;
    return 0;
}
int renamed_when_made(const char *name) {
    struct link link = {NEW, 0, 0, NULL};
    int result = rename_link_bad(&link, name);
    free(link.name);
    return result;
}
int renamed_without_asking(struct link *link, const char *name) {
    return rename_link_bad(link, name); //~ note "`renamed_without_asking` calls `rename_link_bad` here"
}

// Callers that own nothing are asked too: this one never passes the bit.
static int print_copy(const char *text, int flags) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (flags & 4)
        return -2;
    puts(copy);
    free(copy);
    return 0;
}
int printed_without_bit_ok(const char *text, int flags) {
    if (flags & 4)
        return 0;
    return print_copy(text, flags);
}

// And this one sets it.
static int print_other_bad(const char *text, int flags) {
    char *copy = strdup(text); //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (flags & 4)
        return -2;
    puts(copy);
    free(copy);
    return 0;
}
int printed_with_bit(const char *text, int flags) {
    if (flags & 4)
        return 0;
    return print_other_bad(text, flags | 4); //~ note "in a way that makes this happen"
}

// What is needed goes on to the callers of callers: the one in between passes on what it is given.
static int keep_copy(struct link *link, const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (link->kind > 9)
        return -2;
    free(link->name);
    link->name = copy;
    return 0;
}
static int keep_twice(struct link *link, const char *text) { return keep_copy(link, text) + keep_copy(link, text); }
int kept_for_small_ok(struct link *link, const char *text) {
    link->kind = 3;
    return keep_twice(link, text);
}
int kept_for_checked_ok(struct link *link, const char *text) {
    if (link->kind >= 9)
        return -1;
    return keep_twice(link, text);
}

// The same, where the outermost caller lets larger ones through.
static int store_copy_bad(struct link *link, const char *text) {
    char *copy = strdup(text); //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (link->kind > 9)
        return -2;
    free(link->name);
    link->name = copy;
    return 0;
}
static int store_twice(struct link *link, const char *text) {
    return store_copy_bad(link, text) + store_copy_bad(link, text); //~ note "`store_twice` calls `store_copy_bad` here"
}
int stored_for_checked(struct link *link, const char *text) {
    if (link->kind > 12)
        return -1;
    return store_twice(link, text); //~ note "`stored_for_checked` calls `store_twice` here"
}

// A function that calls itself may do so with anything.
static int walk_bad(struct link *link, const char *text, int depth) {
    char *copy = strdup(text); //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (depth == 7)
        return -2;
    puts(copy);
    free(copy);
    return walk_bad(link, text, depth + 1);
}
int walked(struct link *link, const char *text) { return walk_bad(link, text, 0); }
