// Descriptors are copied from an array of the caller's into a block that a global holds from then on.
#include "stubs.h"

struct listener {
    int type;
    int sockets[8];
    unsigned int count;
};

static struct listener **listeners;
static unsigned int room;

static struct listener *listen_on(const int sockets[], unsigned int count, int type) {
    unsigned int at = 0;
    while (at < room && listeners[at])
        at++;
    if (at == room)
        return NULL;
    struct listener *listener = malloc(sizeof *listener);
    if (!listener)
        return NULL;
    listener->type = type;
    listener->count = count;
    memcpy(listener->sockets, sockets, count * sizeof(int));
    listeners[at] = listener;
    return listener;
}

int listened_on_ok(void) {
    int fd = socket(1, 1, 0);
    if (fd < 0)
        return -1;
    if (!listen_on(&fd, 1, 0)) {
        close(fd);
        return -1;
    }
    return 0;
}

int refused_bad(void) {
    int fd = socket(1, 1, 0);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    if (!listen_on(&fd, 1, 0))
        return -1;
    return 0;
}
