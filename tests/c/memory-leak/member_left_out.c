// Destructors that leave out a member which owns what it holds. Told once, where the structure is released.
#include "stubs.h"

// A pair of texts; one of its destructors forgets the second.
struct pair {
    char *key;
    char *value;
    int count;
};

struct pair *pair_new(const char *key, const char *value) {
    struct pair *pair = malloc(sizeof *pair);
    if (!pair)
        return NULL;
    pair->key = strdup(key);
    pair->value = strdup(value);
    pair->count = 0;
    return pair;
}

void pair_free_bad(struct pair *pair) {
    if (!pair)
        return;
    free(pair->key);
    free(pair);    //~ memory-leak "pair->value"
}

void pair_free_ok(struct pair *pair) {
    if (!pair)
        return;
    free(pair->key);
    free(pair->value);
    free(pair);
}

// The member is looked at, which saves nothing.
struct note {
    int number;
    char *text;
};

int note_set(struct note *note, const char *text) {
    note->text = strdup(text);
    return note->text ? 0 : -1;
}

void note_clear(struct note *note) {
    free(note->text);
    note->text = NULL;
}

void note_drop_bad(struct note *note) {
    if (note->text)
        puts(note->text);
    free(note);    //~ memory-leak "note->text"
}

// A table of its own, in a global.
struct cache {
    char *name;
    struct cache *next;
};

static struct cache *caches;

void cache_add(const char *name) {
    struct cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return;
    cache->name = strdup(name);
    cache->next = caches;
    caches = cache;
}

void cache_rename(struct cache *cache, const char *name) {
    free(cache->name);
    cache->name = strdup(name);
}

void cache_pop_bad(void) {
    struct cache *first = caches;
    if (!first)
        return;
    caches = first->next;
    free(first);    //~ memory-leak "first->name"
}
