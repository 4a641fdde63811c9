// Descriptors: minus one is failure, zero is a descriptor like any other.
#include "stubs.h"

int less_than_zero_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

int equal_to_minus_one_ok(const char *path) {
    int fd;
    if (-1 == (fd = open(path, O_RDONLY)))
        return -1;
    close(fd);
    return 0;
}

int negated_test_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (!(fd >= 0))
        return -1;
    close(fd);
    return 0;
}

int bitwise_not_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (!~fd)
        return -1;
    close(fd);
    return 0;
}

int success_branch_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    int result = -1;
    if (fd != -1) {
        result = 0;
        close(fd);
    }
    return result;
}

int closed_if_open_ok(const char *path, int wanted) {
    int fd = -1;
    if (wanted)
        fd = open(path, O_RDONLY);
    if (fd > -1)
        close(fd);
    return 0;
}

int zero_taken_for_failure_bad(const char *path) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "fd"
    if (fd <= 0)
        return -1;
    close(fd);
    return 0;
}

int zero_not_closed_bad(const char *path) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "fd"
    if (fd == -1)
        return -1;
    if (fd)
        close(fd);
    return 0;
}

int tested_like_a_pointer_bad(const char *path) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "fd"
    if (!fd)
        return -1;
    if (fd == -1)
        return -1;
    close(fd);
    return 0;
}
