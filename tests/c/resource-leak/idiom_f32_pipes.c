// Both ends of pipes, in arrays and structs, and descriptors that are moved.
#include "stubs.h"

struct channel { int in, out; };

int channel_open_ok(struct channel *channel) {
    int ends[2];
    if (pipe(ends) < 0)
        return -1;
    *channel = (struct channel){ .in = ends[0], .out = ends[1] };
    return 0;
}

int redirected_ok(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    if (fd == -1)
        return -1;
    if (fd != STDOUT_FILENO) {
        dup2(fd, STDOUT_FILENO);
        close(fd);
    }
    return 0;
}

int child_fails_bad(void) {
    int ends[2], status = 0;
    if (pipe(ends))    //~ resource-leak
        return -1;
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        return -2;
    }
    close(ends[0]), close(ends[1]);
    return waitpid(child, &status, 0) < 0 ? -3 : status;
}
