// Descriptors that are closed by the system call itself, or in a loop that tries again when it was interrupted.
#include "stubs.h"

long syscall(long number, ...);
#define SYS_close 3
#define SYS_gettid 186

static int close_directly(int fd) { return (int)syscall(SYS_close, fd); }

int by_system_call_ok(void) {
    int fd = open("x", O_RDONLY);
    if (fd < 0)
        return -1;
    close_directly(fd);
    return 0;
}

int by_other_system_call_bad(void) {
    int fd = open("x", O_RDONLY); //~ resource-leak
    if (fd < 0)
        return -1;
    syscall(SYS_gettid);
    return 0;
}

static int close_for_sure(int fd) {
    int result;
    do
        result = close(fd);
    while (result < 0 && errno == 4);
    return result;
}

int tried_again_ok(void) {
    int fd = open("x", O_RDONLY);
    if (fd < 0)
        return -1;
    return close_for_sure(fd);
}

int closed_again_bad(void) {
    int fd = open("x", O_RDONLY);
    if (fd < 0)
        return -1;
    close(fd);
    return close(fd); //~ double-release
}
