// What callers pass. A function that only this file calls, or that a program with a main calls, gets what its calls pass and nothing else.
#include "stubs.h"

enum { IN = 1, OUT = 2, BOTH = 3 };

// Called with IN and OUT alone.
static char *open_side(const char *name, int side) {
    char *in = NULL, *out = NULL;
    if (side & IN)
        in = strdup(name);
    if (side & OUT)
        out = strdup(name);
    return in ? in : out;
}
char *reading_ok(const char *name) { return open_side(name, IN); }
char *writing_ok(const char *name) { return open_side(name, OUT); }

// One of the calls passes both.
static char *open_sides_bad(const char *name, int side) {
    char *in = NULL, *out = NULL;
    if (side & IN)
        in = strdup(name);
    if (side & OUT)
        out = strdup(name); //~ memory-leak "out"
    return in ? in : out;
}
char *read_side(const char *name) { return open_sides_bad(name, IN); }
char *write_side(const char *name, int both) { return open_sides_bad(name, both ? BOTH : OUT); }

// Every call passes the address of something, one of them through another function.
static int copy_to(const char *name, char **to, size_t *length) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    if (to)
        *to = copy;
    if (length)
        *length = strlen(copy);
    return 0;
}
static int copy_on(const char *name, char **to) { return copy_to(name, to, NULL); }
struct entry {
    int number;
    char *name;
};
int entry_set_ok(struct entry *entry, const char *name) { return copy_on(name, &entry->name); }
size_t length_ok(const char *name) {
    char *copy = NULL;
    size_t length = 0;
    if (copy_to(name, &copy, &length) == 0)
        free(copy);
    return length;
}

// One call passes NULL.
static int copy_if_wanted_bad(const char *name, char **to) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (to)
        *to = copy;
    return 0;
}
int wants(const char *name, char **to) { return copy_if_wanted_bad(name, to); }
int wants_nothing(const char *name) { return copy_if_wanted_bad(name, NULL); }

// Its address is taken: whoever calls it through the pointer passes anything.
static char *by_mode_bad(const char *name, int mode) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (mode == 7)
        return NULL;
    return copy;
}
char *(*chosen)(const char *, int) = by_mode_bad;
char *with_mode(const char *name) { return by_mode_bad(name, 1); }

// Nobody passes it on with a number that is known.
static char *by_number_bad(const char *name, int number) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (number == 7)
        return NULL;
    return copy;
}
char *with_number(const char *name, int number) { return by_number_bad(name, number); }

// A recursion that counts down.
static char *nth(char **names, int depth, int last) {
    char *copy = strdup(names[depth]);
    if (last == 2)
        return NULL;
    if (copy && !*copy && depth > 0) {
        free(copy);
        return nth(names, depth - 1, last);
    }
    return copy;
}
char *last_ok(char **names, int n) { return nth(names, n, 1); }

// What callers have tested: the mode by a switch, the place by a branch.
static char *by_kind(const char *name, int kind, char **old) {
    char *in = NULL, *out = NULL;
    if (kind == 'r' || kind == '+')
        in = strdup(name);
    if (kind == 'w' || kind == '+')
        out = strdup(name);
    if (old)
        *old = in ? in : out;
    return NULL;
}
void kinds_ok(const char *name, int kind, char **old) {
    if (!old)
        return;
    switch (kind) {
    case 'r':
    case 'w':
        by_kind(name, kind, old);
        break;
    case 'a':
        by_kind(name, 'w', old);
        break;
    default:
        break;
    }
}

// The default passes any other.
static char *by_other_kind_bad(const char *name, int kind) {
    char *in = NULL, *out = NULL;
    if (kind == 'r' || kind == '+')
        in = strdup(name); //~ memory-leak "in"
    if (kind == 'w' || kind == '+')
        out = strdup(name);
    return out ? out : in;
}
char *kinds(const char *name, int kind) {
    switch (kind) {
    case 'r':
    case 'w':
        return by_other_kind_bad(name, kind);
    case 'a':
        return by_other_kind_bad(name, 'w');
    default:
        return by_other_kind_bad(name, kind);
    }
}

// The number is tested after it was put into a narrower member: it fits there.
struct node { short type; };
static char *open_kind(const char *name, int kind) {
    char *in = NULL, *out = NULL;
    if (kind != OUT)
        in = strdup(name);
    if (kind != IN)
        out = strdup(name);
    return in ? in : out;
}
char *kind_kept_ok(struct node *node, const char *name, int kind) {
    switch (node->type = (short)kind) {
    case IN:
    case OUT:
        return open_kind(name, kind);
    }
    return NULL;
}

// The same with one more number.
static char *open_kinds_bad(const char *name, int kind) {
    char *in = NULL, *out = NULL;
    if (kind != OUT)
        in = strdup(name);
    if (kind != IN)
        out = strdup(name); //~ memory-leak "out"
    return in ? in : out;
}
char *kinds_kept(struct node *node, const char *name, int kind) {
    switch (node->type = (short)kind) {
    case IN:
    case OUT:
    case BOTH:
        return open_kinds_bad(name, kind);
    }
    return NULL;
}
