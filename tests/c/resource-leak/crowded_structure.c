#include "stubs.h"

/* A structure with more cells than a summary tells of. What is not told is not what it was before. */

struct digest {
    unsigned words[200];
};

struct buffer {
    struct digest digest;
    char *text;
    int fd;
    char is_open;
    char locked;
    int error;
};

static unsigned seed;

void set_seed(unsigned value)
{
    seed = value;
}

#define WORD(i) d->words[i] = seed * (i + 1);
#define WORDS(i) WORD(i) WORD(i + 1) WORD(i + 2) WORD(i + 3) WORD(i + 4) WORD(i + 5) WORD(i + 6) WORD(i + 7) WORD(i + 8) WORD(i + 9)

static void start(struct digest *d)
{
    WORDS(0) WORDS(10) WORDS(20) WORDS(30) WORDS(40) WORDS(50) WORDS(60) WORDS(70) WORDS(80) WORDS(90)
    WORDS(100) WORDS(110) WORDS(120) WORDS(130) WORDS(140) WORDS(150) WORDS(160) WORDS(170) WORDS(180) WORDS(190)
}

static int buffer_open(struct buffer *b, const char *name)
{
    memset(b, 0, sizeof *b);
    start(&b->digest);
    b->fd = open(name, 0);
    if (b->fd < 0)
        return -1;
    b->is_open = 1;
    b->locked = 1;
    b->error = 0;
    return 0;
}

static void buffer_close(struct buffer *b)
{
    if (b->is_open && b->fd >= 0)
        close(b->fd);
    b->is_open = 0;
    b->fd = -1;
}

int open_and_close_ok(const char *name)
{
    struct buffer b;
    if (buffer_open(&b, name) < 0)
        return -1;
    buffer_close(&b);
    return 0;
}

int open_only_bad(const char *name)
{
    struct buffer b;
    if (buffer_open(&b, name) < 0) //~ resource-leak
        return -1;
    return b.error;
}
