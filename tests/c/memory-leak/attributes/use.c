// Attributes say what functions without a body do: `malloc` with its deallocator through macros of a header, and Clang's `ownership_*`.
#include "conn.h"
#include "stubs.h"

void closed_ok(const char *host) {
    struct conn *conn = conn_open(host);
    if (!conn)
        return;
    conn_close(conn);
}

void lost_on_error_bad(const char *host, int early) {
    struct conn *conn = conn_open(host); //~ memory-leak "object"
    if (!conn || early)
        return;
    conn_close(conn);
}

// Nothing says what becomes of what it is given.
int sent_away_ok(const char *host) {
    struct conn *conn = conn_open(host);
    if (!conn)
        return -1;
    return conn_send(conn, "x");
}

void closed_twice_bad(const char *host) {
    struct conn *conn = conn_open(host);
    if (!conn)
        return;
    conn_close(conn);
    conn_close(conn); //~ double-release
}

// The copy is never null, so this way out does not exist.
int copied_ok(struct conn *conn) {
    char *text = malloc(10);
    if (!text)
        return 0;
    struct conn *copy = conn_dup(conn);
    if (!copy)
        return 0;
    conn_close(copy);
    free(text);
    return 1;
}

int copied_bad(struct conn *conn, int early) {
    struct conn *copy = conn_dup(conn); //~ memory-leak
    if (early)
        return 0;
    conn_close(copy);
    return 1;
}

void text_done_ok(void) { text_done(0, text_of(3)); }

void text_kept_ok(void) { text_register(text_of(3)); }

void text_freed_ok(void) { free(text_of(3)); }

int text_bad(int number) {
    char *text = text_of(number); //~ memory-leak "`text`"
    return text != 0;
}

void own_text_ok(void) {
    char *text = malloc(10);
    text_done(1, text);
}

void bag_ok(void) {
    void *bag = bag_new(1);
    if (!bag)
        return;
    void *more = bag_grow(bag, 2);
    bag_delete(more ? more : bag);
}

void bag_lost_bad(void) {
    void *bag = bag_new(1);
    bag = bag_grow(bag, 2); //~ realloc-lost
    bag_delete(bag);
}

void bag_grown_bad(void) {
    void *bag = bag_new(1);
    void *more = bag_grow(bag, 2); //~ memory-leak "object"
    if (!more)
        bag_delete(bag);
}
