// What a call of the library does depends on a number that the function is given. All calls are in sight, and none passes the number that acquires.
#include "stubs.h"

#define F_GETFD 1
#define F_SETFD 2
#define F_SETLK 6
#define F_SETLKW 7

static int ask_ok(int fd, int what, long value) {
    int got = fcntl(fd, what, value);
    return got < 0 ? -1 : 0;
}

int inherit(int fd, int yes) {
    if (ask_ok(fd, F_GETFD, 0) < 0)
        return -1;
    return ask_ok(fd, F_SETFD, yes);
}

static int locked_ok(int fd, int command, void *region) {
    return fcntl(fd, command, region) != -1;
}

int lock(int fd, int wait, void *region) {
    int command = F_SETLK;
    if (wait)
        command = F_SETLKW;
    return locked_ok(fd, command, region);
}

static int ask_bad(int fd, int what, long value) {
    int got = fcntl(fd, what, value);    //~ resource-leak "got"
    return got < 0 ? -1 : 0;
}

int inherit_or_copy(int fd, int copy) {
    return ask_bad(fd, copy ? F_DUPFD : F_GETFD, 0);
}
