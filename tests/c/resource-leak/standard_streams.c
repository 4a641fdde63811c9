// A descriptor that is opened right after 0, 1 or 2 was closed takes the number that was given up, and stays open.
#include "stubs.h"

void daemon_ok(void) {
    for (int i = 0; i < 3; i++) {
        close(i);
        open("/dev/null", O_RDWR);
    }
}

void detached_ok(void) {
    close(0);
    close(1);
    open("/dev/null", O_RDWR);
    dup(0);
}

static int opened(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        exit(1);
    return fd;
}

void without_input_ok(void) {
    close(0);
    if (opened("/dev/null") != 0)
        exit(2);
}

void one_too_many_bad(void) {
    close(0);
    open("/dev/null", O_RDWR);
    open("/dev/null", O_RDWR);    //~ resource-leak
}

void another_closed_bad(int fd) {
    close(fd);
    open("/dev/null", O_RDWR);    //~ resource-leak
}
