// Who is handed something keeps it, unless something inside goes wrong. The path must say what: a call that fails two calls deep, a table that is full,
// an insertion that finds the key already there.
#include "stubs.h"

struct table {
    void *slots[4];
    int used;
};

static int put(struct table *table, void *what) {
    if (table->used >= 4)    //~ note "is true"
        return -1;
    table->slots[table->used++] = what;
    return 0;
}

void number_kept_bad(struct table *table, int number) {
    int *copy = malloc(sizeof *copy);    //~ memory-leak "copy"
    if (copy == NULL)
        return;
    *copy = number;
    put(table, copy);
}

void number_kept_ok(struct table *table, int number) {
    int *copy = malloc(sizeof *copy);
    if (copy == NULL)
        return;
    *copy = number;
    if (put(table, copy) < 0)
        free(copy);
}

struct entry {
    struct entry *next;
    char *name;
    void *value;
};

struct map {
    struct entry *first;
};

static struct entry *entry_new(const char *name) {
    struct entry *entry = malloc(sizeof *entry);    //~ note "`malloc` fails here and returns NULL"
    if (entry == NULL)
        return NULL;
    entry->name = NULL;
    entry->value = (void *)name;
    return entry;
}

static void map_put(struct map *map, const char *name, void *value) {
    struct entry *entry = entry_new(name);
    if (entry == NULL)
        return;
    entry->value = value;
    entry->next = map->first;
    map->first = entry;
}

void title_bad(struct map *map, const char *text) {
    char *title = strdup(text);    //~ memory-leak "title"
    if (title != NULL)
        map_put(map, "title", title);
}

static int map_add(struct map *map, const char *name, void *value) {
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL)
        return 0;
    entry->value = value;
    entry->name = NULL;
    entry->next = map->first;
    map->first = entry;
    return 1;
}

void title_ok(struct map *map, const char *text) {
    char *title = strdup(text);
    if (title != NULL && !map_add(map, "title", title))
        free(title);
}

struct stream_owner {
    FILE *stream;
};

static int owner_take(struct stream_owner *owner, FILE *stream) {
    if (owner->stream != NULL)    //~ note "`owner->stream` is not NULL"
        return 0;
    owner->stream = stream;
    return 1;
}

int log_opened_bad(struct stream_owner *owner, const char *name) {
    FILE *stream = fopen(name, "a");    //~ resource-leak "stream"
    if (stream == NULL)
        return -1;
    owner_take(owner, stream);
    return 0;
}

int log_opened_ok(struct stream_owner *owner, const char *name) {
    FILE *stream = fopen(name, "a");
    if (stream == NULL)
        return -1;
    if (!owner_take(owner, stream))
        fclose(stream);
    return 0;
}
