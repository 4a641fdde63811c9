// Structures in use that are cleared as a whole, with or without what their members own.
#include "stubs.h"

typedef struct { char *name; char *text; int used; } slot;
static slot slots[16];

int slot_take(const char *name, const char *text) {
    for (int i = 0; i < 16; i++) {
        if (slots[i].used)
            continue;
        slots[i].name = strdup(name);
        if (!slots[i].name)
            return -1;
        slots[i].text = strdup(text);
        if (!slots[i].text) {
            free(slots[i].name);
            slots[i].name = NULL;
            return -1;
        }
        slots[i].used = 1;
        return i;
    }
    return -1;
}

void slot_drop_ok(int i) {
    if (!slots[i].used)
        return;
    free(slots[i].name);
    free(slots[i].text);
    memset(&slots[i], 0, sizeof slots[i]);
}

void slot_drop_bad(int i) {
    if (!slots[i].used)
        return;
    free(slots[i].text);
    memset(&slots[i], 0, sizeof slots[i]);    //~ miss(path) memory-leak "slots[i].name": an element is cleared at an index of the caller's
}

struct session { char *user; int port; };

int session_start_ok(struct session *session, const char *user) {
    memset(session, 0, sizeof *session);
    session->user = strdup(user);
    return session->user ? 0 : -1;
}

void session_end_ok(struct session *session) {
    free(session->user);
    memset(session, 0, sizeof *session);
}

void session_again_bad(struct session *session) {
    int port = session->port;
    memset(session, 0, sizeof *session);    //~ miss(path) memory-leak "session->user": clearing all of a structure is no store into its members
    session->port = port;
}
