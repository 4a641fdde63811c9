// Descriptors that members own: the structure ends, is cleared or filled again with the descriptor open.
#include "stubs.h"

struct connection { int fd; char *peer; struct connection *next; };

struct connection *connection_make(const char *path) {
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return NULL;
    connection->fd = open(path, O_RDONLY);
    if (connection->fd < 0) {
        free(connection);
        return NULL;
    }
    connection->peer = strdup(path);
    return connection;
}

void connection_end_ok(struct connection *connection) {
    close(connection->fd);
    free(connection->peer);
    free(connection);
}

void connection_end_bad(struct connection *connection) {
    free(connection->peer);
    free(connection);    //~ resource-leak "connection->fd"
}

// A list of them is emptied.
struct server { int listener; struct connection *all; };

void server_empty_ok(struct server *server) {
    while (server->all) {
        struct connection *connection = server->all;
        server->all = connection->next;
        if (connection->fd >= 0)
            close(connection->fd);
        free(connection->peer);
        free(connection);
    }
}

void server_empty_bad(struct server *server) {
    while (server->all) {
        struct connection *connection = server->all;
        server->all = connection->next;
        free(connection->peer);
        free(connection);    //~ resource-leak "connection->fd"
    }
}

// Known to be closed already.
int connection_prune_ok(struct connection *connection) {
    if (connection->fd != -1)
        return 0;
    free(connection->peer);
    free(connection);
    return 1;
}

int connection_is_idle(struct connection *connection) { return connection->fd == -1 && !connection->peer; }

// Both ends of a pipe.
struct child { int input, output; char *name; };

struct child *child_start(const char *name) {
    int there[2], back[2];
    struct child *child = malloc(sizeof *child);
    if (!child)
        return NULL;
    if (pipe(there) < 0) {
        free(child);
        return NULL;
    }
    if (pipe(back) < 0) {
        close(there[0]);
        close(there[1]);
        free(child);
        return NULL;
    }
    close(there[0]);
    close(back[1]);
    child->input = there[1];
    child->output = back[0];
    child->name = strdup(name);
    return child;
}

void child_end_ok(struct child *child) {
    close(child->input);
    close(child->output);
    free(child->name);
    free(child);
}

void child_end_bad(struct child *child) {
    close(child->input);
    free(child->name);
    free(child);    //~ resource-leak "child->output"
}

// A slot of a table, cleared as a whole.
struct slot { int used; int fd; char *name; };
static struct slot slots[8];

int slot_open(const char *name) {
    for (int i = 0; i < 8; i++) {
        if (slots[i].used)
            continue;
        slots[i].fd = open(name, O_RDONLY);
        if (slots[i].fd < 0)
            return -1;
        slots[i].name = strdup(name);
        slots[i].used = 1;
        return i;
    }
    return -1;
}

void slot_close_ok(int i) {
    if (!slots[i].used)
        return;
    close(slots[i].fd);
    free(slots[i].name);
    memset(&slots[i], 0, sizeof slots[i]);
}

void slot_close_bad(int i) {
    if (!slots[i].used)
        return;
    free(slots[i].name);
    memset(&slots[i], 0, sizeof slots[i]);    //~ resource-leak "slots[i].fd"
}

// Opened again.
static int journal = -1;

int journal_open_ok(const char *path) {
    if (journal >= 0)
        close(journal);
    journal = open(path, O_WRONLY);
    return journal;
}

int journal_open_bad(const char *path) {
    journal = open(path, O_WRONLY);    //~ resource-leak "journal"
    return journal;
}

// The descriptor is the caller's: a reader only looks at it.
struct reader { int fd; char *buffer; };

struct reader *reader_make(int fd) {
    struct reader *reader = malloc(sizeof *reader);
    if (!reader)
        return NULL;
    reader->fd = fd;
    reader->buffer = malloc(512);
    return reader;
}

void reader_end_ok(struct reader *reader) {
    free(reader->buffer);
    free(reader);
}

int reader_use_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    struct reader *reader;
    if (fd < 0)
        return -1;
    reader = reader_make(fd);
    if (reader)
        reader_end_ok(reader);
    close(fd);
    return 0;
}

// A stream closes it.
struct source { int fd; FILE *stream; };

struct source *source_make(const char *path) {
    struct source *source = calloc(1, sizeof *source);
    if (!source)
        return NULL;
    source->fd = open(path, O_RDONLY);
    if (source->fd < 0) {
        free(source);
        return NULL;
    }
    source->stream = fdopen(source->fd, "r");
    return source;
}

void source_end_ok(struct source *source) {
    if (source->stream)
        fclose(source->stream);
    free(source);
}

// Accepted by somebody else, who closes it again where no structure can be made for it.
struct peer { int fd; char *text; };

static struct peer *peer_make(int fd) {
    struct peer *peer = malloc(sizeof *peer);
    if (!peer)
        return NULL;
    peer->fd = fd;
    peer->text = malloc(100);
    return peer;
}

struct peer *peer_accept(int listener) {
    int fd = accept(listener, NULL, NULL);
    struct peer *peer;
    if (fd < 0)
        return NULL;
    peer = peer_make(fd);
    if (!peer)
        close(fd);
    return peer;
}

void peer_end_ok(struct peer *peer) {
    close(peer->fd);
    free(peer->text);
    free(peer);
}

void peer_end_bad(struct peer *peer) {
    free(peer->text);
    free(peer);    //~ resource-leak "peer->fd"
}
