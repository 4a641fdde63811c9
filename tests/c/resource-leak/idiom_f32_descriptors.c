// Descriptors: pairs, duplicates, the three standard ones, failed connections.
#include "stubs.h"

// The standard descriptors stay open on purpose.

int redirected_to_standard_streams_ok(void) {
    int fd = open("/dev/null", O_RDWR);
    if (fd < 0)
        return -1;
    dup2(fd, STDIN_FILENO);
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
    return 0;
}

int duplicate_closed_ok(int fd) {
    int copy = dup(fd);
    if (copy < 0)
        return -1;
    close(copy);
    return 0;
}

int duplicate_returned_ok(int fd) {
    return fcntl(fd, F_DUPFD, 10);
}

int both_ends_closed_ok(const char *text) {
    int ends[2];
    if (pipe(ends) < 0)
        return -1;
    if (write(ends[1], text, strlen(text)) < 0) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    close(ends[1]);
    close(ends[0]);
    return 0;
}

int socket_pair_handed_out_ok(int *left, int *right) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == -1)
        return -1;
    *left = ends[0];
    *right = ends[1];
    return 0;
}

int failed_connection_closed_ok(const struct sockaddr *address, socklen_t length) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, address, length) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int server_chain_ok(const struct sockaddr *address, socklen_t length) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, address, length) < 0 || listen(fd, 5) < 0)
        goto fail;
    return fd;

fail:
    close(fd);
    return -1;
}

int stream_takes_descriptor_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    FILE *stream = fdopen(fd, "r");
    if (!stream) {
        close(fd);
        return -1;
    }
    int first = fgetc(stream);
    fclose(stream);
    return first;
}

int child_keeps_one_end_ok(char *const arguments[]) {
    int ends[2];
    if (pipe(ends) < 0)
        return -1;
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    if (child == 0) {
        close(ends[0]);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[1]);
        execvp(arguments[0], arguments);
        _exit(127);
    }
    close(ends[1]);
    return ends[0];
}

int accepted_and_served_ok(int server) {
    for (;;) {
        int client = accept(server, NULL, NULL);
        if (client < 0)
            return -1;
        if (write(client, "hello", 5) != 5) {
            close(client);
            continue;
        }
        close(client);
    }
}

int one_end_left_open_bad(const char *text) {
    int ends[2];
    if (pipe(ends) < 0)    //~ resource-leak
        return -1;
    if (write(ends[1], text, strlen(text)) < 0) {
        close(ends[1]);
        return -1;
    }
    close(ends[0]);
    close(ends[1]);
    return 0;
}

int only_one_end_handed_out_bad(int *reading) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == -1)    //~ resource-leak
        return -1;
    *reading = ends[0];
    return 0;
}

int failed_connection_left_open_bad(const struct sockaddr *address, socklen_t length) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    if (connect(fd, address, length) < 0)
        return -1;
    return fd;
}

int failed_listen_left_open_bad(const struct sockaddr *address, socklen_t length) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    if (bind(fd, address, length) < 0) {
        close(fd);
        return -1;
    }
    if (listen(fd, 5) < 0)
        return -1;
    return fd;
}

int stream_not_made_bad(const char *path) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    FILE *stream = fdopen(fd, "r");
    if (!stream)
        return -1;
    int first = fgetc(stream);
    fclose(stream);
    return first;
}

int duplicate_forgotten_bad(int fd) {
    int copy = dup(fd);    //~ resource-leak "copy"
    if (copy < 0)
        return -1;
    return write(copy, "x", 1) == 1;
}

int client_forgotten_bad(int server) {
    for (;;) {
        int client = accept(server, NULL, NULL);    //~ resource-leak "client"
        if (client < 0)
            return -1;
        if (write(client, "hello", 5) != 5)
            continue;
        close(client);
    }
}
