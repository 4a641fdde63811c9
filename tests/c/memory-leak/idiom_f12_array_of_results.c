// Results go into an array that the caller gets by way of a pointer to a pointer.
#include "stubs.h"

int split_in_two_ok(const char *text, char *(*out)[2]) {
    const char *middle = strchr(text, ':');
    if (!middle)
        return -1;
    (*out)[0] = strndup(text, (size_t)(middle - text));
    (*out)[1] = strdup(middle + 1);
    return 0;
}

int arguments_ok(char ***out, int count) {
    char **list = calloc((size_t)count + 1, sizeof *list);
    if (!(*out = list))
        return -1;
    for (; count-- > 0; list++)
        if (!(*list = strdup("x")))
            break;
    return 0;
}

int same_slot_twice_bad(const char *a, const char *b, char **out) {
    out[0] = strdup(a);    //~ memory-leak
    *out = strdup(b);
    return *out != NULL;
}
