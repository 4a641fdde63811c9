// Growing buffers with realloc in conditions and through helpers.
#include "stubs.h"

static void *grow(void *block, size_t *capacity) {
    size_t more = *capacity ? *capacity * 2 : 16;
    void *larger = realloc(block, more);
    if (larger)
        *capacity = more;
    return larger;
}

char *read_all_ok(FILE *file) {
    size_t used = 0, capacity = 0;
    char *text = NULL;
    for (int c; (c = fgetc(file)) != EOF; text[used++] = (char)c) {
        if (used + 1 < capacity)
            continue;
        char *larger = grow(text, &capacity);
        if (!larger)
            return free(text), NULL;
        text = larger;
    }
    return text;
}

int *squares_bad(int count) {
    int *list = NULL;
    for (int i = 0; i < count; i++) {
        if (!(list = realloc(list, (size_t)(i + 1) * sizeof *list)))    //~ realloc-lost "list"
            return NULL;
        list[i] = i * i;
    }
    return list;
}
