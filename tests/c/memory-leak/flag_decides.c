// Single bits of an argument decide whether a function allocates. Which ones its caller must know, also where the function
// does so much else that its whole condition is too long to be told.
#include "stubs.h"

enum { COPY = 1, TWICE = 2, IN_PLACE = 8, ON_HEAP = 16 };

static char *plain(char *text, int flags) {
    char *from = strpbrk(text, "\\^'");
    char *result = text, *to;
    int twice = flags & TWICE;
    if (!from)
        return text;
    if (flags & COPY) {
        size_t length = strlen(from);
        if (twice)
            length *= 2;
        if (flags & IN_PLACE)
            result = text + 1;
        else if (flags & ON_HEAP) {
            result = malloc(length + 1);
            if (!result)
                abort();
        }
    }
    to = result;
    while (*from) {
        if (*from == '\\') {
            from++;
            if (twice)
                *to++ = '\\';
            continue;
        }
        *to++ = *from++;
    }
    *to = 0;
    return result;
}

void in_place_ok(char *text) {
    plain(text, 0);
}

void grown_in_place_ok(char *text) {
    plain(text, COPY | IN_PLACE | TWICE);
}

int on_heap_ok(char *text) {
    char *copy = plain(text, COPY | ON_HEAP);
    int first = *copy;
    if (copy != text)
        free(copy);
    return first;
}

int on_heap_bad(char *text) {
    return *plain(text, COPY | ON_HEAP);    //~ memory-leak
}
