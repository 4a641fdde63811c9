// Streams that are opened through a wrapper which remembers them in a list of its own, and descriptors that are meant
// to stay open.
#include "stubs.h"

struct opened {
    FILE *stream;
    char *name;
    struct opened *next;
};

static struct opened *all;

static void remember(FILE *stream, const char *name) {
    struct opened *entry = malloc(sizeof *entry);
    if (!entry)
        exit(1);
    entry->next = all;
    all = entry;
    entry->name = strdup(name);
    entry->stream = stream;
}

static FILE *open_remembered(const char *name) {
    FILE *stream = fopen(name, "r");
    if (!stream)
        exit(1);
    remember(stream, name);
    return stream;
}

int remembered_ok(const char *name) {
    FILE *stream = open_remembered(name);
    return fgetc(stream);
}

static FILE *open_plain(const char *name) {
    FILE *stream = fopen(name, "r");
    if (!stream)
        exit(1);
    return stream;
}

int forgotten_bad(const char *name) {
    FILE *stream = open_plain(name);    //~ resource-leak "stream"
    return fgetc(stream);
}

// Makes sure that the first three descriptors are in use, whatever the parent process closed.
int standard_descriptors_ok(void) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, 1) < 0) {
            int fresh = open("/dev/null", O_RDONLY);
            if (fresh < 0)
                return -1;
            if (fresh > 2) {
                close(fresh);
                return 0;
            }
        }
    }
    return 0;
}

int any_descriptor_bad(void) {
    int fd = open("/dev/null", O_RDONLY);    //~ resource-leak "descriptor"
    if (fd < 0)
        return -1;
    if (fd > 9) {
        close(fd);
        return 0;
    }
    return 1;
}

struct pair {
    int first;
    int second;
    int same;
    int count;
};

static int inspect(struct pair *pair, int depth) {
    pair->count++;
    if (depth > 3 && pair->first == pair->second) {
        pair->second = pair->first;
        pair->same = 1;
        return 1;
    }
    switch (depth) {
    case 1: pair->count = 3; return 2;
    case 2: pair->count = 7; return 3;
    case 3: pair->count = 9; return 4;
    }
    return depth < 0 ? inspect(pair, depth + 1) : 0;
}

int descriptors_in_structure_ok(const char *a, const char *b, int depth) {
    struct pair pair = { -1, -1, 0, 0 };
    int result = 0;
    if ((pair.first = open(a, O_RDONLY)) < 0)
        return 1;
    pair.second = open(b, O_RDONLY);
    if (pair.second >= 0)
        result = inspect(&pair, depth);
    if (pair.first >= 0)
        close(pair.first);
    if (pair.second >= 0 && pair.second != pair.first)
        close(pair.second);
    return result;
}
