// Chains that begin in a member, and whoever leaves the member, or the structure, without them. Nobody else in the program releases their nodes.
#include "stubs.h"

// A stack: what comes to the front holds what was there before.
struct job { struct job *next; char *command; };
struct table { struct job *jobs; char *owner; };

int job_add(struct table *table, const char *command) {
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return -1;
    job->next = table->jobs;
    table->jobs = job;
    return 0;
}

int table_name(struct table *table, const char *owner) {
    char *copy = strdup(owner);
    if (!copy)
        return -1;
    free(table->owner);
    table->owner = copy;
    return 0;
}

void table_end_bad(struct table *table) {
    free(table->owner);
    for (struct job *job = table->jobs, *next; job; job = next)
        next = job->next;
    free(table);    //~ memory-leak "table->jobs"
}

// A queue with a member for its end: taken off at the front, and forgotten.
struct call { struct call *next; int number; };
struct queue { struct call *first, *last; };

int call_add(struct queue *queue, int number) {
    struct call *call = malloc(sizeof *call);
    if (!call)
        return -1;
    call->number = number;
    call->next = NULL;
    if (!queue->first)
        queue->first = call;
    if (queue->last)
        queue->last->next = call;
    queue->last = call;
    return 0;
}

int call_shift_bad(struct queue *queue, struct call *copy) {
    struct call *call = queue->first;
    if (!call)
        return 0;
    queue->first = call->next;    //~ memory-leak
    if (call == queue->last)
        queue->last = NULL;
    *copy = *call;
    return 1;
}

// The same with an end that is released.
struct note { struct note *next; int number; };
struct notes { struct note *first, *last; };

int note_add_ok(struct notes *notes, int number) {
    struct note *note = malloc(sizeof *note);
    if (!note)
        return -1;
    note->number = number;
    note->next = NULL;
    if (!notes->first)
        notes->first = note;
    if (notes->last)
        notes->last->next = note;
    notes->last = note;
    return 0;
}

int note_shift_ok(struct notes *notes, struct note *copy) {
    struct note *note = notes->first;
    if (!note)
        return 0;
    notes->first = note->next;
    if (note == notes->last)
        notes->last = NULL;
    *copy = *note;
    free(note);
    return 1;
}

// A hash table of chains: one caller of the function that takes a node out releases it, another forgets it.
struct alarm { struct alarm *chain; unsigned id; };
static struct alarm *alarms[8];

int alarm_set(unsigned id) {
    struct alarm *alarm = malloc(sizeof *alarm);
    if (!alarm)
        return -1;
    alarm->id = id;
    alarm->chain = alarms[id % 8];
    alarms[id % 8] = alarm;
    return 0;
}

static struct alarm *alarm_take(unsigned id) {
    for (struct alarm **at = &alarms[id % 8]; *at; at = &(*at)->chain)
        if ((*at)->id == id) {
            struct alarm *alarm = *at;
            *at = alarm->chain;
            return alarm;
        }
    return NULL;
}

void alarm_stop_ok(unsigned id) {
    free(alarm_take(id));
}

int alarm_run_bad(unsigned id) {
    struct alarm *alarm = alarm_take(id);    //~ memory-leak
    return alarm ? 1 : 0;
}

// A tree, walked by the address of its links.
struct leaf { struct leaf *left, *right; int key; };
struct tree { struct leaf *root; };

int leaf_plant_ok(struct tree *tree, int key) {
    struct leaf **at = &tree->root;
    while (*at)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    struct leaf *leaf = calloc(1, sizeof *leaf);
    if (!leaf)
        return -1;
    leaf->key = key;
    *at = leaf;
    return 0;
}

static void leaf_end(struct leaf *leaf) {
    if (!leaf)
        return;
    leaf_end(leaf->left);
    leaf_end(leaf->right);
    free(leaf);
}

void leaf_prune_ok(struct tree *tree, int key) {
    struct leaf **at = &tree->root;
    while (*at && (*at)->key != key)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    struct leaf *leaf = *at;
    *at = NULL;
    leaf_end(leaf);
}

void leaf_prune_bad(struct tree *tree, int key) {
    struct leaf **at = &tree->root;
    while (*at && (*at)->key != key)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = NULL;    //~ memory-leak
}

// Inserted in order, by the address of a link: what comes behind is held by the new node.
struct step { struct step *next; int rank; };
struct plan { struct step *steps; };

int step_insert_ok(struct plan *plan, int rank) {
    struct step **at = &plan->steps;
    while (*at && (*at)->rank < rank)
        at = &(*at)->next;
    struct step *step = malloc(sizeof *step);
    if (!step)
        return -1;
    step->rank = rank;
    step->next = *at;
    *at = step;
    return 0;
}

// Found by its address: who looks for it has it.
struct plugin { struct plugin *behind; char *name; };
static struct plugin *plugins;

int plugin_add(const char *name) {
    struct plugin *plugin = calloc(1, sizeof *plugin);
    if (!plugin)
        return -1;
    plugin->name = strdup(name);
    if (!plugin->name) {
        free(plugin);
        return -1;
    }
    plugin->behind = plugins;
    plugins = plugin;
    return 0;
}

void plugin_remove_ok(struct plugin *gone) {
    for (struct plugin **at = &plugins; *at; at = &(*at)->behind)
        if (*at == gone) {
            *at = gone->behind;
            break;
        }
    free(gone->name);
    free(gone);
}

void plugin_unlink_ok(struct plugin *gone) {
    for (struct plugin **at = &plugins; *at; at = &(*at)->behind)
        if (*at == gone) {
            *at = (*at)->behind;
            break;
        }
    free(gone->name);
    free(gone);
}

void plugin_drop_bad(const char *name) {
    for (struct plugin **at = &plugins; *at; at = &(*at)->behind)
        if (strcmp((*at)->name, name) == 0) {
            *at = (*at)->behind;    //~ memory-leak
            break;
        }
}
