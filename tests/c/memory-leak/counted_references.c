// References that are counted. Who gives one up releases the object only if it was the last. A count that is known decides; one that
// other code may have raised belongs to whoever raised it.
//@ flags: --confidence high
#include "stubs.h"

struct channel {
    int references;
    int open;
};

struct watcher {
    int (*changed)(struct channel *);
};

int elsewhere(struct channel *channel);

static struct channel *channel_new(void) {
    struct channel *channel = calloc(1, sizeof *channel);
    if (!channel)
        abort();
    channel->references = 1;
    return channel;
}

static struct channel *channel_get(struct channel *channel) {
    channel->references++;
    return channel;
}

// Returns early as long as others refer to it.
static void channel_put(struct channel *channel) {
    if (--channel->references > 0)
        return;
    free(channel);
}

// The same by the number that was there before.
static void channel_drop(struct channel *channel) {
    if (channel->references-- == 1)
        free(channel);
}

void both_given_up_ok(void) {
    struct channel *channel = channel_new();
    struct channel *second = channel_get(channel);
    second->open = 1;
    channel_put(second);
    channel_drop(channel);
}

void one_given_up_bad(void) {
    struct channel *channel = channel_new();    //~ memory-leak "channel"
    struct channel *second = channel_get(channel);
    second->open = 1;
    channel_put(second);
}

int one_given_up_on_error_bad(int number) {
    struct channel *channel = channel_new();    //~ memory-leak "channel"
    struct channel *second = channel_get(channel);
    if (number < 0) {
        channel_drop(channel);
        return -1;
    }
    second->open = number;
    channel_drop(second);
    channel_put(channel);
    return 0;
}

int shown_to_others_ok(void) {
    struct channel *channel = channel_new();
    int result = elsewhere(channel);
    channel_put(channel);
    return result;
}

int shown_to_watcher_ok(struct watcher *watcher) {
    struct channel *channel = channel_new();
    int result = watcher->changed(channel);
    channel_drop(channel);
    return result;
}

int never_given_up_bad(int number) {
    struct channel *channel = channel_new();    //~ memory-leak "channel"
    if (number > 3)
        return -1;
    channel_put(channel);
    return 0;
}
