// A helper moves along a buffer that it is given, by a pointer whose address it hands on. That keeps nothing: the
// buffer is still the caller's.
#include "stubs.h"

static void put(char **at, int letter) {
    if (letter < 0x80) {
        *(*at)++ = (char)letter;
    } else {
        *(*at)++ = (char)(letter >> 6);
        *(*at)++ = (char)(letter & 0x3f);
    }
}

static void convert(char *to, const char *from, int length) {
    char *at = to;
    char *end = to;
    const char *last = from + length;
    while (from < last) {
        if (*from == '\b' && at > to) {
            at--;
            from++;
        } else {
            put(&at, *from++);
        }
        if (at > end)
            end = at;
    }
    *end = '\0';
}

int convert_bad(const char *text, int length) {
    char *copy = malloc((size_t)length * 2 + 1); //~ memory-leak
    if (!copy)
        return -1;
    convert(copy, text, length);
    return copy[0] == '#';
}

int convert_ok(const char *text, int length) {
    char *copy = malloc((size_t)length * 2 + 1);
    if (!copy)
        return -1;
    convert(copy, text, length);
    int comment = copy[0] == '#';
    free(copy);
    return comment;
}
