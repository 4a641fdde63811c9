// A stream that could not be had and is used all the same ends the program, so nothing is lost behind that.
#include "stubs.h"

int written_ok(char *path, const char *text, size_t size) {
    int fd = mkstemp(path);
    if (fd == -1)
        return -1;
    FILE *file = fdopen(fd, "w");
    if (fwrite(text, size, 1, file) != 1) {
        fclose(file);
        return -1;
    }
    fclose(file);
    return 0;
}

int not_there_bad(char *path, const char *text, size_t size) {
    int fd = mkstemp(path);    //~ resource-leak "fd"
    if (fd == -1)
        return -1;
    FILE *file = fdopen(fd, "w");
    if (!file)
        return -1;
    fwrite(text, size, 1, file);
    fclose(file);
    return 0;
}

// Null means all streams here.
int flushed_bad(const char *text) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    FILE *file = text[0] ? stdout : NULL;
    fflush(file);
    return copy && *copy;
}
