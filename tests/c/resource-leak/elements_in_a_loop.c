// Descriptors in an array that a loop of unknown length goes through.
#include "stubs.h"

int closed_in_a_loop_ok(int n) {
    int fds[8];
    if (n < 2 || pipe(fds) == -1)
        return -1;
    for (int i = 0; i < n && i < 2; i++)
        close(fds[i]);
    return 0;
}

struct list {
    int *fds;
    int count;
};

static void append(struct list *list, int fd) { list->fds[list->count++] = fd; }

int appended_ok(struct list *list, const char *name) {
    int fd = open(name, O_RDONLY);
    if (fd < 0)
        return -1;
    append(list, fd);
    return 0;
}

int appended_or_not_bad(struct list *list, const char *name) {
    int fd = open(name, O_RDONLY);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    if (list->count > 10)
        return -2;
    append(list, fd);
    return 0;
}

// Addresses travel as numbers.
struct words {
    uintptr_t *items;
    int count;
};

static int push(struct words *words, uintptr_t word) {
    words->items[words->count++] = word;
    return 0;
}

int pushed_ok(struct words *words) {
    char *text = malloc(10);
    if (text == NULL)
        return -1;
    return push(words, (uintptr_t)text);
}

// The log has the descriptor, or another one in its place.
struct log {
    int mode;
    int fd;
};

static struct log *log_new(int fd, int mode) {
    struct log *log = calloc(1, sizeof *log);
    if (log == NULL)
        abort();
    log->mode = mode;
    log->fd = fd >= 0 ? fd : 2;
    return log;
}

struct log *log_to_ok(const char *name) {
    int fd = open(name, O_RDONLY);
    return fd != -1 ? log_new(fd, 1) : NULL;
}
