// Two flags live in the low bits of a pointer.
#include "stubs.h"

typedef uintptr_t word;
#define OWNED ((word)1)
#define POINTER(w) ((char *)((w) & ~(word)3))

static word own(char *text) { return (word)text | OWNED; }
static void drop(word w) { if (w & OWNED) free(POINTER(w)); }

int tagged_and_dropped_ok(const char *text) {
    word w = own(strdup(text));
    int length = POINTER(w) ? (int)strlen(POINTER(w)) : 0;
    drop(w);
    return length;
}

word tagged_and_returned_ok(const char *text) {
    char *copy = strdup(text);
    return copy ? own(copy) : 0;
}

int tag_taken_off_bad(const char *text) {
    char *copy = strdup(text);    //~ memory-leak
    word w = own(copy);
    w &= ~OWNED;
    drop(w);
    return 0;
}
