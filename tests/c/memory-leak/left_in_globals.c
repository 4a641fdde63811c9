// A block that a callee leaves in a global stays there until another call overwrites it,
// takes it out, or releases it.
#include "stubs.h"

static char *current;
static char *path;
static int ready;

static void load(const char *from) { current = strdup(from); }

static void unload(void) {
    free(current);
    current = NULL;
}

static void reload(const char *from) {
    free(current);
    current = strdup(from);
}

static void prepare(void) {
    if (ready)
        return;
    path = strdup("/tmp");
    ready = 1;
}

struct session {
    char *user;
    char *host;
};

static struct session *session;

static int session_open(const char *user, const char *host) {
    struct session *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return -1;
    fresh->user = strdup(user);
    fresh->host = strdup(host);
    session = fresh;
    return 0;
}

static void session_close(void) {
    if (!session)
        return;
    free(session->user);
    free(session->host);
    free(session);
    session = NULL;
}

struct entry {
    struct entry *next;
    int number;
};

static struct entry *entries;

static void entry_add(int number) {
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return;
    entry->number = number;
    entry->next = entries;
    entries = entry;
}

static char *take(void) {
    char *taken = current;
    current = NULL;
    return taken;
}

void loaded_once_ok(const char *from) { load(from); }

void loaded_and_unloaded_ok(const char *a, const char *b) {
    unload();
    load(a);
    unload();
    load(b);
}

void loaded_twice_bad(const char *a, const char *b) {
    unload();
    load(a);    //~ memory-leak
    load(b);    //~ note "overwritten"
}

void reloaded_ok(const char *a, const char *b) {
    reload(a);
    reload(b);
}

void prepared_twice_ok(void) {
    prepare();
    prepare();
}

void entries_added_ok(void) {
    entry_add(1);
    entry_add(2);
}

void taken_and_freed_ok(const char *a, const char *b) {
    unload();
    load(a);
    free(take());
    load(b);
}

void taken_and_dropped_bad(const char *a) {
    unload();
    load(a);    //~ memory-leak
    take();
}

void session_opened_and_closed_ok(const char *user, const char *host) {
    session_close();
    if (session_open(user, host) == 0)
        session_close();
}

int session_opened_again_bad(const char *user, const char *host) {
    session_close();
    if (session_open(user, host) != 0)    //~ memory-leak
        return -1;
    return session_open(user, "localhost");
}

// What is not in sight may release what a global holds.

void elsewhere(void);

void loaded_again_after_unknown_call_ok(const char *a, const char *b) {
    unload();
    load(a);
    elsewhere();
    load(b);
}
