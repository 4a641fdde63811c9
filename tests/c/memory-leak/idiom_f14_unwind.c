// Elements are allocated in one loop and unwound in another that counts down.
#include "stubs.h"

char **columns_ok(size_t count, size_t size) {
    char **columns = malloc(count * sizeof *columns);
    size_t i = 0;
    if (!columns)
        return NULL;
    while (i < count) {
        if (!(columns[i] = malloc(size)))
            goto unwind;
        i++;
    }
    return columns;
unwind:
    while (i-- > 0)
        free(columns[i]);
    free(columns);
    return NULL;
}

char **columns_bad(size_t count, size_t size) {
    char **columns = malloc(count * sizeof *columns);
    size_t i = 0;
    if (!columns)
        return NULL;
    for (i = 0; i < count; i++)
        if (!(columns[i] = malloc(size)))    //~ memory-leak
            goto unwind;
    return columns;
unwind:
    free(columns);
    return NULL;
}
