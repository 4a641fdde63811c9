// A callee that looks at a number of the caller's first: who does not ask whether it has worked knows that it does.
#include "stubs.h"

struct archive {
    unsigned magic;
    void *data;
    void **all;
    int count;
};

static int set_data(struct archive *archive, void *data) {
    if (archive->magic != 0xdeb0c5)
        return -1;
    archive->data = data;
    return 0;
}

int not_asked_ok(struct archive *archive) {
    char *data = malloc(10);
    if (!data)
        return -1;
    set_data(archive, data);
    return 0;
}

int asked_bad(struct archive *archive) {
    char *data = malloc(10); //~ memory-leak
    if (!data)
        return -1;
    return set_data(archive, data);
}

// That memory runs out has nothing to do with what was given.
static int add_data(struct archive *archive, void *data) {
    void **all = realloc(archive->all, (archive->count + 1) * sizeof *all);
    if (!all)
        return -1;
    archive->all = all;
    archive->all[archive->count++] = data;
    return 0;
}

int not_asked_bad(struct archive *archive) {
    char *data = malloc(10); //~ memory-leak
    if (!data)
        return -1;
    add_data(archive, data);
    return 0;
}
