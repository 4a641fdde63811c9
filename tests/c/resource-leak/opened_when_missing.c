#include "stubs.h"

/* A descriptor that a function opens when its owner has none yet. That it was missing is only one of many conditions. */

struct pack {
    char *name;
    int version;
    int fd;
    int broken;
    long size;
    struct pack *next;
};

struct limits {
    int files;
    int windows;
    int strict;
};

static struct limits limits = { 1, 1, 0 };

void set_limits(int files, int windows, int strict)
{
    limits.files = files;
    limits.windows = windows;
    limits.strict = strict;
}

static int open_pack(struct pack *p)
{
    if (p->broken || p->version == -1)
        return -1;
    if (limits.files && p->next && p->next->fd >= 0 && limits.windows) {
        close(p->next->fd);
        p->next->fd = -1;
    }
    p->fd = open(p->name, 0);
    if (p->fd < 0)
        return -1;
    if (p->size < 0 || (limits.strict && p->version != 2)) {
        close(p->fd);
        p->fd = -1;
        return -1;
    }
    return 0;
}

static int need_pack(struct pack *p, long offset)
{
    if (p->fd == -1 && open_pack(p) < 0)
        return -1;
    if (offset < 0 || offset > p->size)
        return -1;
    return p->fd;
}

long read_two_ok(struct pack *p, char *to)
{
    int first = need_pack(p, 0);
    if (first < 0)
        return -1;
    long got = read(first, to, 4);
    int second = need_pack(p, got);
    if (second < 0)
        return -1;
    return read(second, to, 4);
}

long read_all_ok(struct pack *p, char *to)
{
    long sum = 0, got;
    do {
        int fd = need_pack(p, sum);
        if (fd < 0)
            return -1;
        got = read(fd, to, 4);
        sum += got;
    } while (got > 0);
    return sum;
}

long read_and_reopen_bad(struct pack *p, char *to)
{
    p->fd = -1;
    int first = need_pack(p, 0); //~ resource-leak
    if (first < 0)
        return -1;
    long got = read(first, to, 4);
    p->fd = -1;
    return got;
}
