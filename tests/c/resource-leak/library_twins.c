// What functions of the library do with descriptors, streams and memory when they succeed and when they fail, each with a twin.
#include "stubs.h"

int dirfd(DIR *directory);
int openat(int directory, const char *path, int flags, ...);
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
void *mmap(void *address, size_t size, int protection, int flags, int fd, long offset);
int munmap(void *address, size_t size);
#define MAP_FAILED ((void *)-1)

/* The stream has the descriptor when `fdopen` succeeds, the caller keeps it when it fails. */
FILE *fdopen_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return 0;
    FILE *stream = fdopen(fd, "r");
    if (!stream)
        close(fd);
    return stream;
}

FILE *fdopen_failed_bad(const char *path) {
    int fd = open(path, O_RDONLY); //~ resource-leak
    if (fd < 0)
        return 0;
    return fdopen(fd, "r");
}

int fdopen_closed_ok(const char *path) {
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

int fdopen_closed_again_bad(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    FILE *stream = fdopen(fd, "r");
    if (!stream) {
        close(fd);
        return -1;
    }
    fclose(stream);
    return close(fd); //~ double-release
}

/* Closing the descriptor is not closing the stream. */
int fdopen_stream_lost_bad(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    FILE *stream = fdopen(fd, "r"); //~ resource-leak
    int first = stream ? fgetc(stream) : -1;
    close(fd);
    return first;
}

int fdopendir_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    DIR *directory = fdopendir(fd);
    if (!directory) {
        close(fd);
        return -1;
    }
    int there = readdir(directory) != 0;
    closedir(directory);
    return there;
}

int fdopendir_bad(const char *path) {
    int fd = open(path, O_RDONLY); //~ resource-leak
    if (fd < 0)
        return -1;
    DIR *directory = fdopendir(fd);
    if (!directory)
        return -1;
    closedir(directory);
    return 0;
}

/* The number of a stream or directory belongs to it. */
int fileno_ok(const char *path) {
    FILE *stream = fopen(path, "r");
    if (!stream)
        return -1;
    int fd = fileno(stream);
    lseek(fd, 0, 0);
    fclose(stream);
    return 0;
}

int fileno_bad(const char *path) {
    FILE *stream = fopen(path, "r"); //~ resource-leak
    if (!stream)
        return -1;
    return fileno(stream) > 2;
}

int dirfd_ok(const char *path) {
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    int fd = openat(dirfd(directory), "x", O_RDONLY);
    closedir(directory);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

int openat_bad(const char *path) {
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    int fd = openat(dirfd(directory), "x", O_RDONLY); //~ resource-leak
    closedir(directory);
    return fd < 0 ? -1 : 0;
}

/* `freopen` gives the stream back, or closes it and gives null. */
int freopen_ok(const char *path) {
    FILE *stream = fopen(path, "r");
    if (!stream)
        return -1;
    stream = freopen(path, "w", stream);
    if (!stream)
        return -1;
    fclose(stream);
    return 0;
}

int freopen_bad(const char *path, int early) {
    FILE *stream = fopen(path, "r"); //~ resource-leak
    if (!stream)
        return -1;
    stream = freopen(path, "w", stream);
    if (!stream || early)
        return -1;
    fclose(stream);
    return 0;
}

int freopen_failed_bad(const char *path) {
    FILE *stream = fopen(path, "r");
    if (!stream)
        return -1;
    FILE *again = freopen(path, "w", stream);
    if (!again) {
        fclose(stream); //~ double-release
        return -1;
    }
    fclose(again);
    return 0;
}

int popen_ok(const char *command) {
    FILE *stream = popen(command, "r");
    if (!stream)
        return -1;
    return pclose(stream);
}

int popen_bad(const char *command) {
    FILE *stream = popen(command, "r"); //~ resource-leak
    if (!stream)
        return -1;
    return fgetc(stream);
}

int dup_ok(int fd) {
    int copy = dup(fd);
    if (copy < 0)
        return -1;
    close(copy);
    return 0;
}

int dup_bad(int fd) {
    int copy = dup(fd); //~ resource-leak
    return copy < 0 ? -1 : 0;
}

/* The old number is still there after `dup2`. */
int dup2_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    int done = dup2(fd, 0);
    if (fd != 0)
        close(fd);
    return done;
}

int dup2_bad(const char *path) {
    int fd = open(path, O_RDONLY); //~ resource-leak
    if (fd < 0)
        return -1;
    return dup2(fd, 0) < 0 ? -1 : 0;
}

int accept4_ok(int server) {
    int fd = accept4(server, 0, 0, 0);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

int accept4_bad(int server) {
    int fd = accept4(server, 0, 0, 0); //~ resource-leak
    return fd < 0 ? -1 : 0;
}

int mmap_ok(int fd, size_t size) {
    char *text = mmap(0, size, 1, 2, fd, 0);
    if (text == MAP_FAILED)
        return -1;
    int first = text[0];
    munmap(text, size);
    return first;
}

int mmap_bad(int fd, size_t size) {
    char *text = mmap(0, size, 1, 2, fd, 0); //~ resource-leak
    if (text == MAP_FAILED)
        return -1;
    return text[0];
}

/* The mapping outlives the descriptor. */
char *mmap_closed_ok(const char *path, size_t size) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return 0;
    char *text = mmap(0, size, 1, 2, fd, 0);
    close(fd);
    return text == MAP_FAILED ? 0 : text;
}
