// The elements of an array are allocated in one loop and released in another.
#include "stubs.h"

char **copied_or_unwound_ok(char *const *words, int count) {
    if (count <= 0)
        return NULL;
    char **copies = calloc((size_t)count, sizeof *copies);
    if (!copies)
        return NULL;
    for (int i = 0; i < count; i++) {
        copies[i] = strdup(words[i]);
        if (!copies[i]) {
            while (i-- > 0)
                free(copies[i]);
            free(copies);
            return NULL;
        }
    }
    return copies;
}

char **unwound_with_failing_element_ok(char *const *words, int count) {
    if (count <= 0)
        return NULL;
    char **copies = calloc((size_t)count, sizeof *copies);
    if (!copies)
        return NULL;
    int i;
    for (i = 0; i < count; i++) {
        copies[i] = strdup(words[i]);
        if (!copies[i])
            goto fail;
    }
    return copies;

fail:
    for (; i >= 0; i--)
        free(copies[i]);
    free(copies);
    return NULL;
}

int same_range_twice_ok(void) {
    char *parts[4];
    for (int i = 0; i < 4; i++)
        parts[i] = malloc(16);
    int present = 0;
    for (int i = 0; i < 4; i++)
        present += parts[i] != NULL;
    for (int i = 0; i < 4; i++)
        free(parts[i]);
    return present;
}

int same_count_twice_ok(char *const *words, int count) {
    if (count <= 0)
        return 0;
    char **copies = calloc((size_t)count, sizeof *copies);
    if (!copies)
        return -1;
    for (int i = 0; i < count; i++)
        copies[i] = strdup(words[i]);
    for (int i = 0; i < count; i++)
        free(copies[i]);
    free(copies);
    return count;
}

int released_backwards_ok(void) {
    char *parts[3];
    int made = 0;
    while (made < 3) {
        parts[made] = malloc(16);
        if (!parts[made])
            break;
        made++;
    }
    int result = made;
    while (made > 0)
        free(parts[--made]);
    return result;
}

char **unwind_is_missing_bad(char *const *words, int count) {
    if (count <= 0)
        return NULL;
    char **copies = calloc((size_t)count, sizeof *copies);
    if (!copies)
        return NULL;
    for (int i = 0; i < count; i++) {
        copies[i] = strdup(words[i]);    //~ memory-leak
        if (!copies[i]) {
            free(copies);
            return NULL;
        }
    }
    return copies;
}

int first_element_is_forgotten_bad(void) {
    char *parts[3];
    for (int i = 0; i < 3; i++)
        parts[i] = malloc(16);    //~ memory-leak
    for (int i = 1; i < 3; i++)
        free(parts[i]);
    return 0;
}

int last_element_is_forgotten_bad(char *const *words, int count) {
    if (count <= 0)
        return 0;
    char **copies = calloc((size_t)count, sizeof *copies);
    if (!copies)
        return -1;
    for (int i = 0; i < count; i++)
        copies[i] = strdup(words[i]);    //~ memory-leak
    for (int i = 0; i < count - 1; i++)
        free(copies[i]);
    free(copies);
    return count;
}

int only_the_array_is_freed_bad(char *const *words, int count) {
    if (count <= 0)
        return 0;
    char **copies = calloc((size_t)count, sizeof *copies);
    if (!copies)
        return -1;
    for (int i = 0; i < count; i++)
        copies[i] = strdup(words[i]);    //~ memory-leak
    int present = 0;
    for (int i = 0; i < count; i++)
        present += copies[i] != NULL;
    free(copies);
    return present;
}
