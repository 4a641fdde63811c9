// Members that own what they hold, learned from what the whole program puts there; told where a structure is released, emptied or filled again without them.
#include "stubs.h"

// Nobody else releases what the member holds, and nobody has it.
struct job {
    struct job *next;
    char *command;
    char *directory;
};

struct job *job_make(const char *command, const char *directory) {
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->command = strdup(command);
    job->directory = strdup(directory);
    return job;
}

void job_end_bad(struct job *job) {
    free(job->command);
    free(job);    //~ memory-leak "job->directory"
}

void job_end_ok(struct job *job) {
    free(job->command);
    free(job->directory);
    free(job);
}

// Elements of an array that grows, with the member at its start and one behind it.
struct record { char *name; char *value; int code; };
struct table { struct record *records; int count; };

int table_add(struct table *table, const char *name, const char *value) {
    struct record *records = realloc(table->records, (table->count + 1) * sizeof *records);
    if (!records)
        return 0;
    table->records = records;
    records = &table->records[table->count];
    records->name = strdup(name);
    records->value = strdup(value);
    table->count++;
    return 1;
}

void table_end_ok(struct table *table) {
    for (int i = 0; i < table->count; i++) {
        free(table->records[i].name);
        free(table->records[i].value);
    }
    free(table->records);
    table->records = NULL;
}

void table_end_bad(struct table *table) {
    for (int i = 0; i < table->count; i++)
        free(table->records[i].name);
    free(table->records);    //~ memory-leak "table->records->value"
    table->records = NULL;
}

// By a wrapper that releases whatever it is given.
static void release(void *block) {
    if (block)
        free(block);
}

struct page { char *title; char *text; };

struct page *page_make(const char *title, const char *text) {
    struct page *page = malloc(sizeof *page);
    if (!page)
        return NULL;
    page->title = strdup(title);
    page->text = strdup(text);
    return page;
}

void page_end_bad(struct page *page) {
    release(page->title);
    release(page);    //~ memory-leak "page->text"
}

void page_end_ok(struct page *page) {
    release(page->title);
    release(page->text);
    release(page);
}

// A member that is known to hold something gets something else.
struct session { char *user; int state; };

int session_open(struct session *session, const char *user) {
    session->user = strdup(user);
    return session->user ? 0 : -1;
}

void session_close_ok(struct session *session) {
    free(session->user);
    session->user = NULL;
}

void session_close_bad(struct session *session) {
    if (session->user) {
        session->state = 0;
        session->user = NULL;    //~ memory-leak "session->user"
    }
}

// The first of a chain, and the next ones.
struct label { struct label *next; int address; };
struct routine { struct label *labels; int size; };

int routine_label(struct routine *routine, int address) {
    struct label *label = malloc(sizeof *label);
    if (!label)
        return -1;
    label->address = address;
    label->next = NULL;
    routine->labels = label;
    return 0;
}

void routine_clear_ok(struct routine *routine) {
    while (routine->labels) {
        struct label *next = routine->labels->next;
        free(routine->labels);
        routine->labels = next;
    }
}

// A part of a destructor: who calls it releases the rest.
struct pair { char *left, *right; };

struct pair *pair_make(const char *left, const char *right) {
    struct pair *pair = malloc(sizeof *pair);
    if (!pair)
        return NULL;
    pair->left = strdup(left);
    pair->right = strdup(right);
    return pair;
}

static void pair_block_ok(struct pair *pair) { free(pair); }

void pair_end_ok(struct pair *pair) {
    free(pair->left);
    free(pair->right);
    pair_block_ok(pair);
}

// A variable of the program that lends what others own.
struct view { const char *name; int count; };

struct view *view_make(struct pair *pair) {
    struct view *view = malloc(sizeof *view);
    if (view)
        view->name = pair->left;
    return view;
}

void view_end_ok(struct view *view) { free(view); }

// What is copied as a whole goes on elsewhere.
static struct record *all;
static int room;

int all_grow_ok(int count) {
    struct record *old = all;
    struct record *now = calloc(count, sizeof *now);
    if (!now)
        return -1;
    for (int i = 0; i < room; i++)
        now[i] = old[i];
    all = now;
    room = count;
    free(old);
    return 0;
}

// Found to be empty before the structure goes.
struct branch { char *text; struct branch *below; };

struct branch *branch_make(const char *text) {
    struct branch *branch = calloc(1, sizeof *branch);
    if (branch)
        branch->text = strdup(text);
    return branch;
}

int branch_prune_ok(struct branch *branch) {
    if (branch->text)
        return -1;
    free(branch);
    return 0;
}

// One that ends what a structure holds, and leaves one member out; the structure is the caller's.
struct connection { char *host, *path, *query, *agent; };

int connection_open(struct connection *connection, const char *host, const char *path, const char *query) {
    connection->host = strdup(host);
    connection->path = strdup(path);
    connection->query = strdup(query);
    return connection->host && connection->path && connection->query ? 0 : -1;
}

void connection_close_ok(struct connection *connection) {
    free(connection->host);
    free(connection->path);
    free(connection->query);
}

void connection_close_bad(struct connection *connection) {
    free(connection->host);
    free(connection->path);    //~ miss(path) memory-leak: another function releases the member, and this one leaves the structure alive
    //?^ proved: the caller's structure still holds the member when this returns
}

// What is called beside it empties this structure, or another one.
struct box { char *label, *content; };

struct box *box_make(const char *label, const char *content) {
    struct box *box = calloc(1, sizeof *box);
    if (!box)
        return NULL;
    box->label = strdup(label);
    box->content = strdup(content);
    return box;
}

void box_end_ok(struct box *box) {
    free(box->label);
    free(box->content);
    free(box);
}

void box_empty_ok(struct box *box) {
    free(box->content);
    box->content = NULL;
}

static void box_rest_ok(struct box *box) {
    free(box->label);
    free(box);
}

void box_close_ok(struct box *box) {
    box_empty_ok(box);
    box_rest_ok(box);
}

static void box_drop_bad(struct box *box) {
    free(box->label);
    free(box);    //~ memory-leak "box->content"
}

void boxes_turn(struct box *one, struct box *other) {
    box_drop_bad(one);
    box_empty_ok(other);
}
