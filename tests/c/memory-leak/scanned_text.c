// Texts that `scanf` allocates, because the format says so.
#include "stubs.h"

int name_bad(const char *line) {
    char *name = NULL;
    if (sscanf(line, "name=%m[^;]", &name) != 1)    //~ memory-leak "name"
        return -1;
    return name[0];
}

int name_ok(const char *line) {
    char *name = NULL;
    if (sscanf(line, "name=%m[^;]", &name) != 1)
        return -1;
    int first = name[0];
    free(name);
    return first;
}

// The second conversion may fail after the first has allocated.
int pair_bad(const char *line) {
    char *key, *value;
    int got = sscanf(line, "%ms %ms", &key, &value);    //~ memory-leak "key"
    if (got < 2)
        return -1;
    int same = strcmp(key, value) == 0;
    free(key);
    free(value);
    return same;
}

int pair_ok(const char *line) {
    char *key = NULL, *value = NULL;
    int got = sscanf(line, "%ms %ms", &key, &value);
    int same = got == 2 && strcmp(key, value) == 0;
    if (got > 0)
        free(key);
    if (got > 1)
        free(value);
    return same;
}

// A number first, and what is not assigned does not count.
static char *word_after(FILE *stream, int *number) {
    char *word;
    return fscanf(stream, "%d %*s %30ms", number, &word) == 2 ? word : NULL;
}

int word_bad(FILE *stream) {
    int number;
    char *word = word_after(stream, &number);    //~ memory-leak "word"
    return word ? word[0] : number;
}

// A plain text is put where the caller says.
int plain_ok(const char *line) {
    char name[32];
    return sscanf(line, "%31s", name) == 1 && name[0] == 'x';
}
