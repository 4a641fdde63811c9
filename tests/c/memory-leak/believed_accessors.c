// A name like `x_get` beside `x_free` says nothing by itself: who is given an object and gives something of it gives nothing
// away. It needs somebody who releases what it gave.
#include "stubs.h"

struct chain;
struct chain *chain_alloc(void);
void chain_free(struct chain *chain);
const void *chain_get(const struct chain *chain, unsigned what);

int is_builtin_ok(const struct chain *chain) {
    return chain_get(chain, 3) != NULL;
}

int name_length_ok(const struct chain *chain) {
    const char *name = chain_get(chain, 1);
    return name ? (int)strlen(name) : 0;
}

int ask_ok(void) {
    struct chain *chain = chain_alloc();
    if (!chain)
        return -1;
    int builtin = is_builtin_ok(chain);
    chain_free(chain);
    return builtin;
}

int ask_bad(int quick) {
    struct chain *chain = chain_alloc();    //~ memory-leak "`chain`"
    if (!chain)
        return -1;
    if (quick)
        return 0;
    chain_free(chain);
    return 1;
}

// Here the program releases what it got: who does not loses it.
struct hint;
char *hint_get(const struct hint *hint, const char *id);

int shown_ok(const struct hint *hint) {
    char *name = hint_get(hint, "NAME");
    if (!name)
        return 0;
    int length = (int)strlen(name);
    free(name);
    return length;
}

int shown_bad(const struct hint *hint, int quick) {
    char *name = hint_get(hint, "NAME");    //~ memory-leak "`name`"
    if (!name)
        return 0;
    if (quick)
        return 1;
    int length = (int)strlen(name);
    free(name);
    return length;
}

// Who closes what a structure of the caller's holds, and opens it anew, loses nothing in a loop.
struct link;
struct link *link_open(int bus);
void link_close(struct link *link);
int link_send(struct link *link, int word);

struct handle {
    struct link *link;
    int errors;
};

static int restart(struct handle *handle) {
    link_close(handle->link);
    handle->link = link_open(3);
    if (!handle->link)
        return -1;
    return 0;
}

int send_ok(struct handle *handle, int word) {
    while (link_send(handle->link, word) < 0) {
        if (restart(handle) < 0)
            return -1;
    }
    return 0;
}
