// A descriptor that turns out to have a number which the program knows can be used by that number: it is not lost. And who leaves 1 and 2 open where they
// are leaves 0 open as well.
#include "stubs.h"

#define CONTROL 5

int moved_to_control_ok(const char *name) {
    int fd = open(name, 0);
    if (fd < 0)
        return -1;
    if (fd == CONTROL)
        return 0;
    if (dup2(fd, CONTROL) != CONTROL) {
        close(fd);
        return -1;
    }
    close(fd);
    return 0;
}

int moved_to_control_bad(const char *name) {
    int fd = open(name, 0);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    if (fd == CONTROL)
        return 0;
    if (dup2(fd, CONTROL) != CONTROL)
        return -1;
    close(fd);
    return 0;
}

static int as(int from, int to) {
    if (from != to) {
        if (dup2(from, to) < 0)
            return -1;
        close(from);
    }
    return to;
}

int log_as_four_ok(const char *name) {
    int fd = open(name, 1);
    if (fd >= 0 && as(fd, 4) < 0)
        close(fd);
    return 0;
}

int console_ok(const char *name) {
    int fd = open(name, 2);
    if (fd < 0)
        return -1;
    if (fd != 0)
        dup2(fd, 0);
    if (fd != 1)
        dup2(fd, 1);
    if (fd != 2)
        dup2(fd, 2);
    if (fd > 2)
        close(fd);
    return 0;
}

int console_bad(const char *name) {
    int fd = open(name, 2);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    dup2(fd, 0);
    dup2(fd, 1);
    dup2(fd, 2);
    return 0;
}
