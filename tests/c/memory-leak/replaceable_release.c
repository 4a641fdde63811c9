// Objects with a count, released by a function that the user of a library may replace. What a run finds there is what the program puts there.
#include "stubs.h"

struct channel {
    int count;
    int (*told)(struct channel *channel, int what);
    struct channel *under;
};

typedef void releaser(void *block, const char *file, int line);

static void block_free(void *block, const char *file, int line);
static releaser *free_with = block_free;
static int released;

int use_other_free(releaser *other) {
    if (released > 0)
        return 0;
    free_with = other;
    return 1;
}

static void block_free(void *block, const char *file, int line) {
    released++;
    if (free_with != block_free) {
        free_with(block, file, line);
        return;
    }
    free(block);
}

// Its address is taken somewhere, and it has as many parameters.
static void report(void *what, const char *file, int line) {
    printf("%p %s %d\n", what, file, line);
}

releaser *reporter(void) {
    return report;
}

static struct channel *channel_new(void) {
    struct channel *channel = calloc(1, sizeof *channel);
    if (channel)
        channel->count = 1;
    return channel;
}

static int channel_free(struct channel *channel) {
    if (!channel)
        return 0;
    if (--channel->count > 0)
        return 1;
    if (channel->told && channel->told(channel, 1) <= 0)
        return 0;
    channel_free(channel->under);
    block_free(channel, __FILE__, __LINE__);
    return 1;
}

static int channel_write(struct channel *channel, const char *text) {
    if (channel->told && channel->told(channel, 2) <= 0)
        return -1;
    return puts(text);
}

void written_ok(const char *text) {
    struct channel *channel = channel_new();
    if (!channel)
        return;
    channel_write(channel, text);
    channel_free(channel);
}

int written_bad(const char *text) {
    struct channel *channel = channel_new(); //~ memory-leak "`channel`"
    if (!channel)
        return 0;
    if (channel_write(channel, text) < 0)
        return 0;
    channel_free(channel);
    return 1;
}
