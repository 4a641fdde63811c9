// Where the library says why it failed, `errno` is not 0: `-errno` is a failure for whoever calls.
#include "stubs.h"

static int open_log(const char *name) {
    int fd = open(name, O_RDONLY);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

// Nothing failed before `errno` was read.
static int last_failure(void) {
    return -errno;
}

int log_opens_ok(const char *name, char **copy) {
    char *text = strdup(name);
    if (!text)
        return -1;
    int fd = open(name, O_RDONLY);
    if (fd < 0) {
        int error = errno;
        if (error)
            free(text);
        return -error;
    }
    close(fd);
    *copy = text;
    return 0;
}

int log_opens_bad(const char *name, char **copy) {
    char *text = strdup(name);    //~ memory-leak "text"
    if (!text)
        return -1;
    int fd = open(name, O_RDONLY);
    if (fd < 0) {
        int error = errno;
        if (error == ENOENT)
            free(text);
        return -error;
    }
    close(fd);
    *copy = text;
    return 0;
}

static int read_pair(const char *name, char **first, char **second) {
    *first = strdup(name);
    if (!*first)
        return -errno;
    *second = strdup(name);
    if (!*second) {
        free(*first);
        return -errno;
    }
    return 0;
}

int pair_ok(const char *name) {
    char *first, *second;
    int error = read_pair(name, &first, &second);
    if (error)
        return error;
    free(first);
    free(second);
    return 0;
}

int log_after_copy_ok(const char *name, char **result) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    int error = open_log(name);
    if (error < 0) {
        free(copy);
        return error;
    }
    *result = copy;
    return 0;
}

int log_after_copy_bad(const char *name, char **result) {
    char *copy = strdup(name);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    int error = open_log(name);
    if (error < 0)
        return error;
    *result = copy;
    return 0;
}

int failure_kept_ok(const char *name, int broken, char **result) {
    char *copy = strdup(name);
    int error = 0;
    if (!copy)
        return -1;
    if (broken)
        error = open_log(name);
    if (error) {
        free(copy);
        return error;
    }
    *result = copy;
    return 0;
}

int failure_forgotten_bad(const char *name, int broken, char **result) {
    char *copy = strdup(name);    //~ memory-leak "copy"
    int error = 0;
    if (!copy)
        return -1;
    if (broken)
        error = last_failure();
    if (error) {
        free(copy);
        return error;
    }
    if (broken)
        return 0;
    *result = copy;
    return 0;
}

int set_to_zero_bad(const char *name) {
    char *copy = strdup(name);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (unlink(name) < 0) {
        errno = 0;
        if (errno)
            free(copy);
        return -1;
    }
    free(copy);
    return 0;
}
