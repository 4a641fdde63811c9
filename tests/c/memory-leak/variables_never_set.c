// What the program stores in its variables. A number that nothing ever stores is not there, in a variable of the program's or in a member of one.
#include "stubs.h"

struct settings {
    const char *name;
    int verbose;
    int secure;
    int limit;
    int traced;
    int raw[4];
};
static struct settings settings = {"demo", 0, 0, 8, 0, {0}};
static int mode = 1;
static int level;

static void set_mode(int wanted) { mode = wanted; }
void begin(void) {
    settings.verbose = 1;
    set_mode(1);
    set_mode(2);
    level = settings.verbose > 0;
}
void set_limit(int limit) { settings.limit = limit; }
void trace(int *which);
void tracing(void) { trace(&settings.traced); }

// `secure` stays 0.
char *connect_ok(const char *name) {
    char *copy = strdup(name);
    if (settings.secure)
        return NULL;
    return copy;
}

// `verbose` becomes 1.
char *talk_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (settings.verbose)
        return NULL;
    return copy;
}

// `mode` is 1 or 2, by a function that only this file calls.
char *mode_ok(const char *name) {
    char *copy = strdup(name);
    if (mode > 2 || !(mode & 3))
        return NULL;
    return copy;
}
char *mode_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (mode > 1)
        return NULL;
    return copy;
}

// The truth of a comparison is 0 or 1.
char *level_ok(const char *name) {
    char *copy = strdup(name);
    if (level < 0 || level > 1)
        return NULL;
    return copy;
}

// Others set the limit to anything.
char *limit_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (settings.limit == 3)
        return NULL;
    return copy;
}

// Its address is given away.
char *traced_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (settings.traced)
        return NULL;
    return copy;
}

// An element of an array that somebody sets by number.
void set_raw(unsigned which) { settings.raw[which & 3] = 1; }
char *raw_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (settings.raw[2])
        return NULL;
    return copy;
}
