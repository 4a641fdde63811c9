// Zero is standard input by the program's own choice: what gets this number because the process has none stays open as that.
#include "stubs.h"

static int open_or_standard(const char *path) {
    if (strcmp(path, "-") == 0)
        return 0;
    return open(path, O_RDONLY);
}

int closed_unless_standard_ok(const char *path) {
    int fd = open_or_standard(path);
    char byte;
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, &byte, 1);
    if (fd != 0)
        close(fd);
    return (int)got;
}

int forgotten_bad(const char *path) {
    int fd = open_or_standard(path);    //~ resource-leak "fd"
    char byte;
    if (fd < 0)
        return -1;
    if (read(fd, &byte, 1) != 1)
        return -1;
    if (fd != 0)
        close(fd);
    return byte;
}
