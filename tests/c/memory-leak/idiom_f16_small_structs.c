// Small structs with a pointer travel by value, also as compound literals and in ternaries.
#include "stubs.h"

struct slice { char *from; int length; };
struct name { struct slice first, last; };

static struct slice slice_of(const char *text) {
    return (struct slice){ .from = strdup(text), .length = (int)strlen(text) };
}

static struct slice slice_move(struct slice *from) {
    struct slice moved = *from;
    *from = (struct slice){ 0 };
    return moved;
}

struct name both_ok(const char *a, const char *b) {
    return (struct name){ slice_of(a), slice_of(b) };
}

void moved_ok(const char *text) {
    struct slice slice = slice_of(text), other = slice_move(&slice);
    free(slice.from);
    free(other.from);
}

int moved_and_forgotten_bad(const char *text) {
    struct slice slice = slice_of(text);    //~ memory-leak
    struct slice other = slice_move(&slice);
    free(slice.from);
    return other.length;
}
