// A member of a structure holds what the program ever stores in it, whichever object it is: a kind is one of a few, a flag that nobody
// sets is not set, what is only counted up is not negative, and a hook that nobody sets is NULL.
#include "stubs.h"

enum kind { PLAIN, CHAINED, LOUD };

struct channel {
    enum kind kind;
    unsigned flags;
    int users;
    int mood;
    void (*hook)(char *text);
    char *text;
    int read;
};

enum { QUIET = 1, LATE = 2, BROKEN = 4 };

static struct channel *channel_new(enum kind kind) {
    struct channel *channel = calloc(1, sizeof *channel);
    if (channel)
        channel->kind = kind;
    return channel;
}

static void channel_free(struct channel *channel) {
    free(channel->text);
    free(channel);
}

static void grow(struct channel *channel) {
    channel->users++;
    channel->flags |= QUIET;
    channel->mood += channel->users;
}

static void calm(struct channel *channel) {
    channel->flags &= ~QUIET;
    channel->flags |= LATE;
    channel->mood--;
}

int kind_is_one_of_three_ok(struct channel *channel, size_t size) {
    char *text = malloc(size);
    if (!text)
        return -1;
    switch (channel->kind) {
    case PLAIN:
    case CHAINED:
        free(text);
        return 0;
    case LOUD:
        channel_free(channel);
        free(text);
        return 1;
    }
    return 2;
}

int kind_is_stored_bad(struct channel *channel, size_t size) {
    char *text = malloc(size); //~ memory-leak "`text`"
    if (!text)
        return -1;
    if (channel->kind == LOUD)
        return 1;
    free(text);
    return 0;
}

int flag_is_never_set_ok(struct channel *channel, size_t size) {
    char *text = malloc(size);
    if (!text)
        return -1;
    if (channel->flags & BROKEN)
        return 1;
    free(text);
    return 0;
}

int flag_is_set_bad(struct channel *channel, size_t size) {
    char *text = malloc(size); //~ memory-leak "`text`"
    if (!text)
        return -1;
    if (channel->flags & LATE)
        return 1;
    free(text);
    return 0;
}

int count_is_never_negative_ok(struct channel *channel, size_t size) {
    char *text = malloc(size);
    if (!text)
        return -1;
    if (channel->users < 0)
        return 1;
    free(text);
    return 0;
}

int count_goes_down_too_bad(struct channel *channel, size_t size) {
    char *text = malloc(size); //~ memory-leak "`text`"
    if (!text)
        return -1;
    if (channel->mood < 0)
        return 1;
    free(text);
    return 0;
}

int hook_is_never_set_ok(struct channel *channel, size_t size) {
    char *text = malloc(size);
    if (!text)
        return -1;
    if (channel->hook)
        return 1;
    free(text);
    return 0;
}

int number_comes_from_outside_bad(struct channel *channel, size_t size) {
    char *text = malloc(size); //~ memory-leak "`text`"
    if (!text)
        return -1;
    if (channel->read > 100)
        return 1;
    free(text);
    return 0;
}

// A header that is read from a file holds whatever the file says.
struct header {
    int version;
    int length;
};

static int get_bytes(FILE *file, void *to, size_t count) {
    return fread(to, 1, count, file) == count;
}

int header_of_the_caller_bad(struct header *header, size_t size) {
    char *text = malloc(size); //~ memory-leak "`text`"
    if (!text)
        return -1;
    if (header->version == 3)
        return 1;
    free(text);
    return 0;
}

// The address of a member leads there.
struct options {
    int level;
    int depth;
};

static void set(int *number, int value) {
    *number = value;
}

static struct options *options_new(int value) {
    struct options *options = calloc(1, sizeof *options);
    if (options) {
        set(&options->depth, value);
        options->level = 1;
    }
    return options;
}

int set_through_its_address_bad(struct options *options, size_t size) {
    char *text = malloc(size); //~ memory-leak "`text`"
    if (!text)
        return -1;
    if (options->depth == 7)
        return 1;
    free(text);
    return 0;
}

int beside_it_ok(struct options *options, size_t size) {
    char *text = malloc(size);
    if (!text)
        return -1;
    if (options->level == 7)
        return 1;
    free(text);
    return 0;
}

// What is taken for another structure is written as that one.
struct base {
    int type;
    int size;
};

struct derived {
    int type;
    int size;
    char *name;
};

static void set_type(struct base *base, int type) {
    base->type = type;
}

static void make_derived(struct derived *derived) {
    derived->type = 1;
    set_type((struct base *)derived, 9);
}

int taken_for_another_bad(struct derived *derived, size_t size) {
    char *text = malloc(size); //~ memory-leak "`text`"
    if (!text)
        return -1;
    if (derived->type == 9)
        return 1;
    free(text);
    return 0;
}

// Who calls the functions above is not known; what objects of these types ever hold is.
static struct channel *channels[8];
static struct options *options[8];
static struct derived *derived[8];
static struct header *headers[8];

static void fill(FILE *file, int number) {
    for (int i = 0; i < 8; i++) {
        channels[i] = channel_new(i > 2 ? CHAINED : i > 1 ? LOUD : PLAIN);
        options[i] = options_new(number);
        derived[i] = calloc(1, sizeof *derived[i]);
        headers[i] = calloc(1, sizeof *headers[i]);
        if (!channels[i] || !derived[i] || !headers[i])
            exit(1);
        grow(channels[i]);
        calm(channels[i]);
        channels[i]->read = number;
        make_derived(derived[i]);
        headers[i]->version = 1;
        get_bytes(file, headers[i], sizeof *headers[i]);
    }
}

int main(int argc, char **argv) {
    FILE *file = fopen(argv[1], "r");
    if (!file)
        return 1;
    fill(file, argc);
    fclose(file);
    return 0;
}
