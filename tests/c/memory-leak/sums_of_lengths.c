// Sizes that are computed from lengths of strings: they do not become zero by overflow.
#include "stubs.h"

char *joined_lines_ok(FILE *stream) {
    char word[51];
    char *text = NULL;
    size_t size = 0;
    while (fgets(word, sizeof word, stream)) {
        char *old = text;
        size_t more = strlen(word) + 1;
        text = size == 0 ? malloc(more + 1) : realloc(text, size + more + 1);
        size += more;
        if (!text) {
            free(old);
            return NULL;
        }
        strcpy(text + size - more, word);
    }
    if (size == 0)
        return NULL;
    text[size] = 0;
    return text;
}

char *joined_lines_bad(FILE *stream) {
    char word[51];
    char *text = NULL;
    size_t size = 0;
    while (fgets(word, sizeof word, stream)) {
        char *old = text;
        size_t more = strlen(word);
        text = size == 0 ? malloc(more + 1) : realloc(text, size + more + 1);    //~ memory-leak "`text`"
        size += more;
        if (!text) {
            free(old);
            return NULL;
        }
        strcpy(text + size - more, word);
    }
    if (size == 0)
        return NULL;
    text[size] = 0;
    return text;
}
