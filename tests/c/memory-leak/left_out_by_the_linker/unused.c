// Nothing in the program needs this file: it may belong to a library, so what it loses is told with a doubt.
#include "stubs.h"

static char *last_word_bad(const char *text, size_t most) {
    char *copy = strdup(text); //~ memory-leak "copy"
    if (!copy || strlen(copy) > most)
        return NULL;
    return copy;
}

char *last_or_first(const char *text, size_t most) { return last_word_bad(text, most + strlen(text)); }
