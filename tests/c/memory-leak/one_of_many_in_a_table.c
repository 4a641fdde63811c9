// Calls through tables of more functions than are applied one by one, which do not all do the same.
#include "stubs.h"

typedef char *make_part(const char *text);

static char *gives(const char *t) { return strdup(t); }

// One of many gives something, the others nothing.
static char *n0(const char *t) { return 0; }
static char *n1(const char *t) { return 0; }
static char *n2(const char *t) { return 0; }
static char *n3(const char *t) { return 0; }
static char *n4(const char *t) { return 0; }
static char *n5(const char *t) { return 0; }
static char *n6(const char *t) { return 0; }
static char *n7(const char *t) { return 0; }
static char *n8(const char *t) { return 0; }
static char *n9(const char *t) { return 0; }
static char *n10(const char *t) { return 0; }
static char *n11(const char *t) { return 0; }
static char *n12(const char *t) { return 0; }
static make_part *const rare[] = { n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, gives };

int one_of_many_gives_bad(unsigned number, const char *text) {
    char *part = rare[number % 14](text);    //~ memory-leak "part"
    return part ? *part : 0;
}

int one_of_many_gives_ok(unsigned number, const char *text) {
    char *part = rare[number % 14](text);
    int first = part ? *part : 0;
    free(part);
    return first;
}

// One of many gives something, another shows what it is given: callers know which.
static char *shown(const char *t) { return (char *)t; }
static make_part *const mixed[] = { n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, shown, gives };

int one_of_many_shows_ok(unsigned number, const char *text) {
    char *part = mixed[number % 14](text);
    return part ? *part : 0;
}
