// Flags of a descriptor that is open can always be set and read: the calls fail for nothing but a bad number. What a
// function leaves open when they fail is not lost; when making a second end or a copy fails, it is.
#include "stubs.h"

#define F_DUPFD 0
#define F_SETFD 2
#define F_GETFL 3

static int two_ends(int ends[2]) {
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, 1) == 0 && fcntl(ends[1], F_SETFD, 1) == 0 ? 0 : -1;
}

int ends_ok(void) {
    int ends[2];
    if (two_ends(ends))
        return -1;
    close(ends[0]);
    close(ends[1]);
    return 0;
}

int flags_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -1;
    close(fd);
    return flags;
}

int copied_bad(const char *path) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "`fd`"
    if (fd < 0)
        return -1;
    int copy = fcntl(fd, F_DUPFD, 10);
    if (copy < 0)
        return -1;
    close(fd);
    close(copy);
    return 0;
}
