// `asprintf` hardly ever answers 0.
#include "stubs.h"

char *numbered_ok(int number) {
    char *text;
    if (asprintf(&text, "number %d", number) <= 0)
        return NULL;
    return text;
}

int numbered_bad(int number) {
    char *text;
    if (asprintf(&text, "number %d", number) <= 0) //~ memory-leak
        return -1;
    if (number < 0)
        return -2;
    int length = strlen(text);
    free(text);
    return length;
}
