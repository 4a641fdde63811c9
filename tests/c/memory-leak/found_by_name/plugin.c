#include "stubs.h"

char *shortest_word_bad(const char *text, size_t most) {
    char *copy = strdup(text); //~ memory-leak "copy"
    if (!copy || strlen(copy) > most)
        return NULL;
    return copy;
}
