// Nothing in the program needs this file.
#include "stubs.h"

static char *last_word(const char *text, size_t most) {
    char *copy = strdup(text);
    if (!copy || strlen(copy) > most)
        return NULL;
    return copy;
}

char *last_or_first(const char *text, size_t most) { return last_word(text, most + strlen(text)); }
