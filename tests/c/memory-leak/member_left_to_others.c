// Functions that release a structure and leave a member to somebody else, who takes care of it.
#include "stubs.h"

// Its only caller releases the member first.
struct job {
    char *command;
    struct job *next;
};

struct job *job_new(const char *command) {
    struct job *job = malloc(sizeof *job);
    if (!job)
        return NULL;
    job->command = strdup(command);
    job->next = NULL;
    return job;
}

static void job_give_back_ok(struct job *job) {
    free(job);
}

void jobs_clear_ok(struct job *job) {
    while (job) {
        struct job *next = job->next;
        free(job->command);
        job_give_back_ok(job);
        job = next;
    }
}

// The member is handed out before.
struct entry {
    char *text;
    int number;
};

struct entry *entry_new(const char *text) {
    struct entry *entry = malloc(sizeof *entry);
    if (entry)
        entry->text = strdup(text);
    return entry;
}

char *entry_open_ok(struct entry *entry) {
    char *text = entry->text;
    free(entry);
    return text;
}

void entry_free_ok(struct entry *entry) {
    free(entry->text);
    free(entry);
}

// Sometimes it holds what belongs to others.
struct title {
    const char *text;
    int copied;
};

void title_copy(struct title *title, const char *text) {
    title->text = strdup(text);
    title->copied = 1;
}

void title_borrow(struct title *title, const char *text) {
    title->text = text;
    title->copied = 0;
}

void title_free_ok(struct title *title) {
    if (title->copied)
        free((char *)title->text);
    free(title);
}

void title_shell_free_ok(struct title *title) {
    free(title);
}

// A shell that was never filled.
struct box {
    char *inside;
};

static void box_shell_free_ok(struct box *box) {
    free(box);
}

struct box *box_new_ok(const char *text) {
    struct box *box = malloc(sizeof *box);
    if (!box)
        return NULL;
    box->inside = strdup(text);
    if (!box->inside) {
        box_shell_free_ok(box);
        return NULL;
    }
    return box;
}

void box_free_ok(struct box *box) {
    free(box->inside);
    free(box);
}

// Two steps of one destructor.
struct tree {
    char *name;
    int deep;
};

struct tree *tree_plant(const char *name) {
    struct tree *tree = calloc(1, sizeof *tree);
    if (tree)
        tree->name = strdup(name);
    return tree;
}

static void tree_strip(struct tree *tree) {
    free(tree->name);
    tree->name = NULL;
}

static void tree_fell_ok(struct tree *tree) {
    free(tree);
}

void tree_remove_ok(struct tree *tree) {
    tree_strip(tree);
    tree_fell_ok(tree);
}
