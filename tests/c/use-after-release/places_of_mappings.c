// Where a mapping was may be where the next one should be.
#include "stubs.h"

void *mmap(void *hint, size_t size, int protection, int flags, int fd, long offset);
int munmap(void *address, size_t size);

void *room_found_ok(size_t size, int fd) {
    char *room = mmap(NULL, 2 * size, 0, 2, -1, 0);
    if (room == (char *)-1)
        return NULL;
    munmap(room, 2 * size);
    void *mapped = mmap(room, size, 1, 2, fd, 0);
    return mapped == (void *)-1 ? NULL : mapped;
}

int room_read_bad(size_t size) {
    char *room = mmap(NULL, size, 1, 2, -1, 0);
    if (room == (char *)-1)
        return -1;
    munmap(room, size);
    return room[0]; //~ use-after-release
}
