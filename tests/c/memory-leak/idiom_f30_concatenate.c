// A variadic function that frees what it joins, ended by a null pointer.
#include "stubs.h"

static char *join_and_free(char *first, ...) {
    size_t length = 1;
    char *part, *result;
    va_list list, again;
    va_start(list, first);
    va_copy(again, list);
    for (part = first; part; part = va_arg(list, char *))
        length += strlen(part);
    va_end(list);
    if ((result = malloc(length)) != NULL)
        *result = '\0';
    for (part = first; part; part = va_arg(again, char *)) {
        if (result)
            strcat(result, part);
        free(part);
    }
    va_end(again);
    return result;
}

char *joined_ok(const char *a, const char *b) {
    return join_and_free(strdup(a), strdup(b), (char *)NULL);
}

char *one_left_out_bad(const char *a, const char *b, int quiet) {
    char *second = strdup(b);    //~ memory-leak "second"
    if (quiet)
        return join_and_free(strdup(a), (char *)NULL);
    return join_and_free(strdup(a), second, (char *)NULL);
}
