// The block is stored through a pointer that stands for one of two places.
#include "stubs.h"

static char *left;
static char *right;

struct pair {
    char *first;
    char *second;
};

void one_of_two_globals_ok(int go_left, const char *text) {
    char **place = go_left ? &left : &right;
    free(*place);
    *place = strdup(text);
}

void one_of_two_globals_by_branch_ok(int go_left, const char *text) {
    char **place;
    if (go_left)
        place = &left;
    else
        place = &right;
    char *copy = strdup(text);
    if (!copy)
        return;
    free(*place);
    *place = copy;
}

void one_of_two_fields_ok(struct pair *pair, int first, const char *text) {
    char **place = first ? &pair->first : &pair->second;
    free(*place);
    *place = strdup(text);
}

void local_side_is_freed_ok(int go_left, const char *text) {
    char *local = NULL;
    char **place = go_left ? &left : &local;
    free(*place);
    *place = strdup(text);
    if (!go_left)
        free(local);
}

void local_side_is_recognised_ok(int go_left, const char *text) {
    char *local = NULL;
    char **place = go_left ? &left : &local;
    free(*place);
    *place = strdup(text);
    if (place == &local)
        free(*place);
}

void local_side_is_lost_bad(int go_left, const char *text) {
    char *local = NULL;
    char **place = go_left ? &left : &local;
    free(*place);
    *place = strdup(text);    //~ memory-leak
}

void local_struct_is_lost_bad(struct pair *pair, int keep, const char *text) {
    struct pair scratch = { NULL, NULL };
    struct pair *target = keep ? pair : &scratch;
    target->first = strdup(text);    //~ memory-leak
    puts(text);
}

void wrong_side_is_freed_bad(int go_left, const char *text) {
    char *local = NULL;
    char **place;
    if (go_left)
        place = &right;
    else
        place = &local;
    free(*place);
    *place = strdup(text);    //~ memory-leak
    if (go_left)
        free(local);
}
