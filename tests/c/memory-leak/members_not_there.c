// Members that hold nothing where their structure ends: they are emptied by whoever had them filled, or belong to structures of another kind.
#include "stubs.h"

// Filled and emptied within one call.
struct session { char *command; char *peer; int state; };

struct session *session_make(const char *command) {
    struct session *session = calloc(1, sizeof *session);
    if (session)
        session->command = strdup(command);
    return session;
}

static void session_describe(struct session *session, const char *host) {
    session->peer = strdup(host);
}

int session_run_ok(struct session *session, const char *host) {
    session_describe(session, host);
    int length = session->peer ? (int)strlen(session->peer) : 0;
    free(session->peer);
    session->peer = NULL;
    return length;
}

void session_end_ok(struct session *session) {
    free(session->command);
    free(session);
}

// A structure that others begin with: what is released here is any of them.
struct table { char *message; int references; };
struct lines { struct table base; int first; };
struct words { struct table base; int longest; };

struct table *lines_open(int first) {
    struct lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return NULL;
    lines->first = first;
    return &lines->base;
}

struct table *words_open(void) {
    struct words *words = calloc(1, sizeof *words);
    return words ? &words->base : NULL;
}

void lines_complain(struct table *table) {
    table->message = strdup("bad line");
}

char *table_message(struct table *table) {
    char *message = table->message;
    table->message = NULL;
    return message;
}

void lines_close_ok(struct table *table) {
    free(table->message);
    free(table);
}

void words_close_ok(struct table *table) {
    free(table);
}

// Filled for good: the end leaves it out.
struct account { char *name; char *home; int number; };

struct account *account_make(const char *name, const char *home) {
    struct account *account = calloc(1, sizeof *account);
    if (!account)
        return NULL;
    account->name = strdup(name);
    account->home = strdup(home);
    return account;
}

void account_end_bad(struct account *account) {
    free(account->name);
    free(account);    //~ memory-leak "account->home"
}
