// Descriptors between processes and peers.
#include "stubs.h"

int child_ok(char *const arguments[]) {
    int ends[2];
    if (pipe(ends) < 0)
        return -1;
    pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    close(ends[1]);
    return ends[0];
}

int daemon_streams_ok(void) {
    int fd = open("/dev/null", O_RDWR);
    if (fd < 0)
        return -1;
    dup2(fd, 0);
    dup2(fd, 1);
    dup2(fd, 2);
    if (fd > 2)
        close(fd);
    return 0;
}

int dial_ok(const struct addrinfo *at) {
    for (; at; at = at->ai_next) {
        int fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (fd == -1)
            continue;
        if (connect(fd, at->ai_addr, at->ai_addrlen) == 0)
            return fd;
        close(fd);
    }
    return -1;
}

int pair_given_out_ok(int out[2]) { return socketpair(AF_UNIX, SOCK_STREAM, 0, out); }

int server_ok(const struct sockaddr *address, socklen_t length) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, address, length) || listen(fd, 5))
        goto failed;
    return fd;
failed:
    close(fd);
    return -1;
}

int one_end_left_open_bad(char *const arguments[]) {
    int ends[2];
    if (pipe(ends) < 0)    //~ resource-leak
        return -1;
    pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        return -1;
    }
    if (pid == 0) {
        close(ends[0]);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[1]);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    close(ends[1]);
    return ends[0];
}

int failed_bind_bad(const struct sockaddr *address, socklen_t length) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    if (bind(fd, address, length) < 0)
        return -1;
    return fd;
}
