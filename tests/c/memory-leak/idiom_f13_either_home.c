// A block is put into one of two places.
#include "stubs.h"

struct cache {
    char *hot, *cold;
};

static char *left_name, *right_name;

void either_global_ok(int side, const char *name) {
    char **home = side ? &left_name : &right_name;
    free(*home);
    *home = strdup(name);
}

void either_field_ok(struct cache *cache, int uses, const char *name) {
    char *copy = strdup(name);
    char **home;
    switch (uses) {
    case 0:
        home = &cache->cold;
        break;
    default:
        home = &cache->hot;
        break;
    }
    *home = copy;
}

void one_home_is_local_bad(int side, const char *name) {
    char *here = NULL;
    char **home = &here;
    if (side > 0)
        home = &left_name;
    *home = strdup(name);    //~ memory-leak
    if (here)
        puts(here);
}

int one_home_is_local_struct_bad(struct cache *cache, bool mine, const char *name) {
    struct cache own = { NULL, NULL };
    struct cache *to = mine ? &own : cache;
    to->hot = strdup(name);    //~ memory-leak
    return to->hot != NULL;
}
