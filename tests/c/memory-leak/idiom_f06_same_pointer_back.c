// A function gives back the pointer it was given.
#include "stubs.h"

static char *lower(char *text) {
    for (char *c = text; *c; ++c)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c + 32);
    return text;
}

static int *fill(int *numbers, int count, int with) {
    int i = 0;
    while (i < count)
        numbers[i++] = with;
    return numbers;
}

int lowered_ok(const char *from) {
    char *text = strdup(from);
    if (!text)
        return 0;
    text = lower(text);
    int c = text[0];
    free(text);
    return c;
}

int library_returns_argument_ok(const char *from) {
    char *text = malloc(64);
    if (!text)
        return 0;
    char *same = strncpy(text, from, 63);
    same[63] = 0;
    int c = same[1];
    free(same);
    return c;
}

int filled_in_one_expression_ok(int count) {
    int *numbers = malloc(sizeof(int) * (unsigned)count);
    if (!numbers)
        return 0;
    int *same = fill(fill(numbers, count, 0), 1, 1);
    int c = same[0];
    free(same);
    return c;
}

int neither_freed_bad(int count) {
    int *numbers = malloc(sizeof(int) * (unsigned)count);    //~ memory-leak "numbers"
    if (!numbers)
        return 0;
    int *same = fill(numbers, count, 7);
    return same[0];
}

int lowered_and_dropped_bad(const char *from) {
    char *text = strdup(from);    //~ memory-leak "text"
    if (!text)
        return 0;
    return lower(text)[0] == 'a';
}
