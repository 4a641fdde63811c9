// A function that gives up what most members of a structure hold means to end the structure: a member that it leaves out is lost, also where it was the only one
// to release it. A member that is looked at and then gets something else loses what it held.
#include "stubs.h"

struct session {
    char *user, *host, *token;
};

int session_open(struct session *s, const char *user, const char *host, const char *token) {
    s->user = strdup(user);
    s->host = strdup(host);
    s->token = strdup(token);
    return s->user && s->host && s->token;
}

void session_end_bad(struct session *s) {
    if (s->user)
        free(s->user);
    if (s->host)
        free(s->host);
    memset(s, 0, sizeof *s);    //~ memory-leak "s->token"
}

struct visit {
    char *user, *host, *token;
};

int visit_open(struct visit *v, const char *user, const char *host, const char *token) {
    v->user = strdup(user);
    v->host = strdup(host);
    v->token = strdup(token);
    return v->user && v->host && v->token;
}

void visit_end_ok(struct visit *v) {
    free(v->user);
    free(v->host);
    free(v->token);
    memset(v, 0, sizeof *v);
}

struct link {
    char *name, *target;
    struct link *next;
    struct session *session;
};

struct link *link_new(const char *name, const char *target, struct session *session) {
    struct link *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->name = strdup(name);
    l->target = strdup(target);
    l->session = session;
    return l;
}

// The session is somebody else's.
void link_end_ok(struct link *l) {
    free(l->name);
    free(l->target);
    free(l);
}

static int *table;
static int table_size;

int table_first(void) {
    return table ? table[0] : -1;
}

void table_resize_bad(int size) {
    int first = -1;
    if (table != NULL)
        first = table_first();
    table = calloc((size_t)size, sizeof *table);    //~ memory-leak "table"
    if (!table)
        return;
    table_size = size;
    table[0] = first;
}

static int *rows;

void rows_resize_ok(int size) {
    int first = -1;
    if (rows != NULL) {
        first = rows[0];
        free(rows);
    }
    rows = calloc((size_t)size, sizeof *rows);
    if (rows)
        rows[0] = first;
}

static int *once;

void once_ok(int size) {
    if (once == NULL)
        once = calloc((size_t)size, sizeof *once);
    if (once)
        once[0] = size;
}

struct program {
    int length;
    int *code;
};

void program_end(struct program *p) {
    p->length = 0;
    free(p->code);
    p->code = NULL;
}

struct filter {
    char *name, *device;
    struct program program;
};

int filter_open(struct filter *f, const char *name, const char *device, int length) {
    f->name = strdup(name);
    f->device = strdup(device);
    f->program.length = length;
    f->program.code = calloc((size_t)length, sizeof *f->program.code);
    return f->name && f->device && f->program.code;
}

void filter_end_ok(struct filter *f) {
    free(f->name);
    free(f->device);
    program_end(&f->program);
}

struct relay {
    struct relay *next;
    int port;
};

static struct relay *relays;

void relay_add_ok(int port) {
    struct relay *relay = calloc(1, sizeof *relay);
    struct relay *current = relays, *last = NULL;
    if (!relay)
        return;
    while (current) {
        last = current;
        current = current->next;
    }
    if (last)
        last->next = relay;
    else
        relays = relay;
    relay->port = port;
}
