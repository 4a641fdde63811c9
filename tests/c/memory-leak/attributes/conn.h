/* A library whose functions are declared with attributes, and are nowhere defined. */
#ifndef CONN_H
#define CONN_H

#if defined(__GNUC__) && !defined(__clang__)
#define OWNED(release) __attribute__((malloc, malloc(release, 1)))
#elif defined(NEVER_DEFINED)
#define OWNED(release) __attribute__((malloc(release, 1)))
#else
#define OWNED(release)
#endif
#define OWNED_CONN OWNED(conn_close)

#if defined(__clang__)
#define GIVES(family) __attribute__((ownership_returns(family)))
#define TAKES(family, n) __attribute__((ownership_takes(family, n)))
#define HOLDS(family, n) __attribute__((ownership_holds(family, n)))
#else
#define GIVES(family)
#define TAKES(family, n)
#define HOLDS(family, n)
#endif

struct conn;

void conn_close(struct conn *conn);
struct conn *conn_open(const char *host) OWNED_CONN;
struct conn *conn_dup(struct conn *conn) OWNED_CONN __attribute__((returns_nonnull));
int conn_send(struct conn *conn, const char *text);

char *text_of(int number) GIVES(malloc);
void text_done(int verbose, char *text) TAKES(malloc, 2);
void text_register(char *text) HOLDS(malloc, 1);

void *bag_new(int size) GIVES(bag);
void *bag_grow(void *bag, int size) GIVES(bag) TAKES(bag, 1);
void bag_delete(void *bag) TAKES(bag, 1);

#endif
