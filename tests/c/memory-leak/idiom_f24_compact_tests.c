// Tests that are packed into one condition.
#include "stubs.h"

int all_at_once_ok(const char *path) {
    FILE *file;
    char *buffer = NULL;
    int result = -1;
    if ((file = fopen(path, "r")) && (buffer = malloc(BUFSIZ)) && fgets(buffer, BUFSIZ, file))
        result = atoi(buffer);
    free(buffer);
    if (file) fclose(file);
    return result;
}

int descriptor_ok(const char *path) {
    int fd;
    if (0 > (fd = open(path, O_RDONLY)))
        return -1;
    return close(fd), 0;
}

int second_fails_bad(const char *a, const char *b) {
    char *first, *second;
    if (NULL == (first = strdup(a)) || !(second = strdup(b)))    //~ memory-leak "first"
        return -1;
    free(first);
    free(second);
    return 0;
}
