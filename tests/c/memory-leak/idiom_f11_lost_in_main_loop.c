// Blocks that main loses while it runs are lost like anywhere else.
#include "stubs.h"

static char *describe(const char *word, int number) {
    char *text = malloc(strlen(word) + 16);
    if (!text)
        return NULL;
    snprintf(text, 16, "%d", number);
    return text;
}

int main(int argc, char **argv) {
    char *last = NULL;
    for (int i = 1; i < argc; i++) {
        char *copy = strdup(argv[i]);    //~ memory-leak "copy"
        if (!copy)
            return 1;
        if (copy[0] == '-')
            continue;
        puts(copy);
        free(copy);
    }
    for (int i = 1; i < argc; i++)
        last = describe(argv[i], i);    //~ memory-leak "last"
    if (last)
        puts(last);
    free(last);
    for (int i = 1; i < argc; i++) {
        char *kept = strdup(argv[i]);
        if (!kept)
            break;
        puts(kept);
        free(kept);
    }
    return 0;
}
