// A descriptor is put into a structure, and a neighbour of it there is given to a function that is not in sight. That function may write
// anything, but what only may have been overwritten, by code that nobody sees, is not lost: it may still be there, or known to that code.
#include "stubs.h"

struct watch {
    int events;
    void *owner;
};

struct channel {
    int fd;
    int flags;
    struct watch watch;
};

int watch_is_on(struct watch *watch);
void watch_start(struct watch *watch, int fd);

static void channel_rearm(struct channel *channel) {
    if (channel->flags & 4)
        return;
    channel->flags |= 8;
    if (!watch_is_on(&channel->watch))
        watch_start(&channel->watch, channel->fd);
}

static void channel_set(struct channel *channel, int fd) {
    channel->fd = fd;
    if (fd != -1)
        channel_rearm(channel);
}

static void channel_set_and_ask(struct channel *channel, int fd) {
    channel->fd = fd;
    watch_is_on(&channel->watch);
}

static struct channel *channel_new(void) {
    struct channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL)
        exit(1);
    channel->fd = -1;
    return channel;
}

struct session {
    int number;
    struct channel *channel;
    struct session *next;
};

static struct session *sessions;

static struct session *session_of(int number) {
    for (struct session *session = sessions; session != NULL; session = session->next)
        if (session->number == number)
            return session;
    exit(1);
}

int rearmed_ok(int number, const char *path) {
    struct session *session = session_of(number);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    session->channel = channel_new();
    channel_set(session->channel, fd);
    return 0;
}

int asked_ok(int number, const char *path) {
    struct session *session = session_of(number);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    session->channel = channel_new();
    channel_set_and_ask(session->channel, fd);
    return 0;
}

int not_stored_bad(int number, const char *path) {
    struct session *session = session_of(number);
    int fd = open(path, O_RDONLY);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    session->channel = channel_new();
    channel_set(session->channel, -1);
    return 0;
}
