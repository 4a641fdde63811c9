// A descriptor that turns out to be the number that it was to get is known by that number. One that is put into a block
// that a function takes from elsewhere is held there.
#include "stubs.h"

int redirected_ok(const char *path, int wanted) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    if (fd != wanted) {
        dup2(fd, wanted);
        close(fd);
    }
    return 0;
}

int redirected_bad(const char *path, int wanted) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    if (fd != wanted)
        dup2(fd, wanted);
    return 0;
}

struct task {
    int fd;
    struct task *next;
};

struct queue {
    struct task *free, *waiting;
};

struct queue *some_queue(int number);

static void hand_over(int number, int fd) {
    struct queue *queue = some_queue(number);
    struct task *task = queue->free;
    queue->free = task->next;
    task->fd = fd;
    task->next = queue->waiting;
    queue->waiting = task;
}

int handed_over_ok(const char *path, int number) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    hand_over(number, fd);
    return 0;
}
