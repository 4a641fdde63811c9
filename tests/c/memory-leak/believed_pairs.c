// Maker and releaser are both out of sight. Their names say what they do, and the program uses them so.
#include "stubs.h"

struct session;
struct session *session_start(const char *host);
void session_close(struct session *session);
extern int session_ready;

int visit_bad(const char *host, int quick) {
    struct session *session = session_start(host);    //~ memory-leak "`session`"
    if (!session)
        return -1;
    if (quick && session_ready)
        return 0;
    session_close(session);
    return 1;
}

int visit_ok(const char *host, int quick) {
    struct session *session = session_start(host);
    if (!session)
        return -1;
    int ready = quick && session_ready;
    session_close(session);
    return !ready;
}

// Never released in this file, but the releaser is there for others.
struct tree;
struct tree *tree_new(void);
void tree_free(struct tree *tree);

int grow_bad(int deep) {
    struct tree *tree = tree_new();    //~ memory-leak "`tree`"
    return tree && deep;
}

void fell_ok(struct tree *tree) {
    tree_free(tree);
}

// An operations table that somebody else fills.
struct memory {
    void *(*obtain)(void *arena, size_t size);
    void (*release)(void *arena, void *block);
    void *arena;
};

int span_bad(const struct memory *memory, const char *text) {
    char *copy = memory->obtain(memory->arena, 16);    //~ memory-leak "`copy`"
    if (!copy)
        return -1;
    if (!text)
        return -2;
    copy[0] = text[0];
    memory->release(memory->arena, copy);
    return 0;
}

int span_ok(const struct memory *memory, const char *text) {
    char *copy = memory->obtain(memory->arena, 16);
    if (!copy)
        return -1;
    if (text)
        copy[0] = text[0];
    memory->release(memory->arena, copy);
    return text ? 0 : -2;
}

// A pointer that is set elsewhere; its result goes to free.
extern char *(*translate)(const char *text);

int translated_bad(const char *text) {
    char *other = translate(text);    //~ memory-leak "`other`"
    int same = strcmp(text, other) == 0;
    if (same)
        return 1;
    puts(other);
    free(other);
    return 0;
}

// What looks at a thing is not its releaser.
const char *lookup(const char *key);
void show_closed(const char *text);

void look_ok(const char *key, int quiet) {
    const char *value = lookup(key);
    if (quiet)
        return;
    show_closed(value);
    puts(value);
}
