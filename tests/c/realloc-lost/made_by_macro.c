// A macro makes the same function for each type; its mistake is told once, where it is used first.
#include "stubs.h"

#define VECTOR(name, type)                                              \
    struct name {                                                       \
        type *items;                                                    \
        size_t room;                                                    \
    };                                                                  \
    int name##_resize(struct name *v, size_t room) {                    \
        v->items = realloc(v->items, room * sizeof *v->items);          \
        if (v->items == NULL)                                           \
            return -1;                                                  \
        v->room = room;                                                 \
        return 0;                                                       \
    }

VECTOR(numbers, int) //~ realloc-lost "v->items"
VECTOR(words, char *)
VECTOR(weights, double)

// The same mistake written by hand is told by itself.
struct bytes {
    char *items;
    size_t room;
};

int bytes_resize(struct bytes *v, size_t room) {
    v->items = realloc(v->items, room * sizeof *v->items); //~ realloc-lost "v->items"
    if (v->items == NULL)
        return -1;
    v->room = room;
    return 0;
}
