// A function that gives back what it was given, or something new, and the caller cannot tell which.
#include "stubs.h"

struct value {
    int number;
    int flags;
    char *text;
};

static struct value *as_text(struct value *value) {
    if (value->flags & 1)
        return value;
    if (value->number > 1000) {
        struct value *fresh = calloc(1, sizeof *fresh);
        if (!fresh)
            exit(1);
        fresh->flags = 1;
        return fresh;
    }
    value->flags |= 1;
    return value;
}

// Who only looks at it loses what is new.
int looked_at_bad(struct value *value) {
    if (as_text(value)->flags & 2) //~ memory-leak
        return 1;
    return value->number;
}

// Who hands it on has a thing of its own.
void printed_bad(struct value *value) {
    struct value *text = as_text(value); //~ memory-leak
    printf("%p %d\n", (void *)text, text->flags);
}
