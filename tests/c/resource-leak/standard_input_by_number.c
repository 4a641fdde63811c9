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

// A descriptor that has the number it is to have is where it should be.
static void move_to(int from, int to) {
    if (from == to)
        return;
    dup2(from, to);
    close(from);
}

void becomes_standard_input_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        exit(1);
    move_to(fd, 0);
}

// What is put in the place of standard input is there already if it is 0.
int put_in_place_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    if (fd == 0)
        return 0;
    if (dup2(fd, 0) < 0) {
        close(fd);
        return -1;
    }
    close(fd);
    return 0;
}

// It goes to the place of another, so 0 is not what was wanted.
int put_elsewhere_bad(const char *path, int place) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    if (fd == 0)
        return 0;
    if (dup2(fd, place) < 0) {
        close(fd);
        return -1;
    }
    close(fd);
    return 0;
}

int chosen_here_ok(const char *path, int given) {
    int fd = 0;
    char byte;
    if (given && (fd = open(path, O_RDONLY)) < 0)
        return -1;
    ssize_t got = read(fd, &byte, 1);
    if (fd)
        close(fd);
    return (int)got;
}

// Taken for a failure: nothing else is 0 here.
int taken_for_failure_bad(const char *path) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "fd"
    char byte;
    if (fd <= 0)
        return -1;
    ssize_t got = read(fd, &byte, 1);
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
