// Descriptor 0 is a descriptor.
#include "stubs.h"

int below_zero_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

int minus_one_ok(const char *path) {
    int fd;
    if ((fd = open(path, O_RDONLY)) == -1)
        return -1;
    char byte;
    ssize_t got = read(fd, &byte, 1);
    close(fd);
    return got == 1 ? byte : -1;
}

int not_negative_ok(const char *path) {
    int result = -1, fd = open(path, O_WRONLY | O_CREAT, 0600);
    if (fd >= 0) {
        result = (int)write(fd, "x", 1);
        close(fd);
    }
    return result;
}

int above_minus_one_ok(const char *path) {
    int fd = creat(path, 0600);
    if (fd > -1)
        return close(fd);
    return -1;
}

int zero_taken_for_failure_bad(const char *path) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "fd"
    if (fd <= 0)
        return -1;
    close(fd);
    return 0;
}

int truth_of_descriptor_bad(const char *path) {
    int fd = creat(path, 0600);    //~ resource-leak "fd"
    if (fd > 0)
        close(fd);
    return 0;
}
