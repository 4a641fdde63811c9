// An array that grows in some turns of a loop only, and with it what it holds.
#include "stubs.h"

int next_number(void);

static void *grow(void *old, size_t size) {
    void *block = realloc(old, size);
    if (!block)
        exit(1);
    return block;
}

char **names_ok(void) {
    int number, count = 0;
    char **names = grow(NULL, sizeof *names);
    while ((number = next_number()) != 0) {
        if (number != 10)
            continue;
        names[count++] = strdup("name");
        names = grow(names, sizeof *names * (count + 1));
    }
    names[count] = NULL;
    return names;
}

char **names_bad(void) {
    int number, count = 0;
    char **names = grow(NULL, sizeof *names);
    while ((number = next_number()) != 0) {
        if (number != 10)
            continue;
        names[count++] = strdup("name");    //~ memory-leak
        free(names);
        names = grow(NULL, sizeof *names * (count + 1));
    }
    names[count] = NULL;
    return names;
}
