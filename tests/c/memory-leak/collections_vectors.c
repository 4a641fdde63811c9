// Growing arrays in structures: the count stands in a field, elements are addresses or structures with members of their own.
#include "stubs.h"

struct vector { char **items; int count, room; };

static void vector_push(struct vector *v, const char *text) {
    if (v->count == v->room) {
        int room = v->room ? 2 * v->room : 4;
        char **items = realloc(v->items, room * sizeof *items);
        if (!items)
            exit(1);
        v->items = items;
        v->room = room;
    }
    char *copy = strdup(text);
    if (!copy)
        exit(1);
    v->items[v->count++] = copy;
}

static void vector_clear(struct vector *v) {
    for (int i = 0; i < v->count; i++)
        free(v->items[i]);
    free(v->items);
    memset(v, 0, sizeof *v);
}

int pushed_ok(int n) {
    struct vector v = { 0 };
    for (int i = 0; i < n; i++)
        vector_push(&v, "a");
    vector_clear(&v);
    return 0;
}

int pushed_once_ok(int n) {
    struct vector v = { 0 };
    vector_push(&v, "a");
    vector_clear(&v);
    return n;
}

int elements_forgotten_bad(int n) {
    struct vector v = { 0 };
    vector_push(&v, "a");    //~ memory-leak
    free(v.items);
    return n;
}

int vector_forgotten_bad(int n) {
    struct vector v = { 0 };
    vector_push(&v, "a");    //~ memory-leak
    if (n > 2)
        return 1;
    vector_clear(&v);
    return 0;
}

static struct vector *vector_new(void) {
    struct vector *v = calloc(1, sizeof *v);
    if (!v)
        exit(1);
    return v;
}

static void vector_free(struct vector *v) {
    if (!v)
        return;
    while (v->count > 0)
        free(v->items[--v->count]);
    free(v->items);
    free(v);
}

int on_the_heap_ok(int n) {
    struct vector *v = vector_new();
    for (int i = 0; i < n; i++)
        vector_push(v, "b");
    vector_free(v);
    return 0;
}

int on_the_heap_bad(int n) {
    struct vector *v = vector_new();    //~ memory-leak
    vector_push(v, "b");    //~ memory-leak
    if (n > 2)
        return 1;
    vector_free(v);
    return 0;
}

struct entry { char *key, *value; };
struct table { struct entry *entries; size_t count; };

static int table_add(struct table *t, const char *key, const char *value) {
    struct entry *entries = realloc(t->entries, (t->count + 1) * sizeof *entries);
    if (!entries)
        return 0;
    t->entries = entries;
    struct entry *entry = &t->entries[t->count];
    entry->key = strdup(key);
    entry->value = strdup(value);
    t->count++;
    return 1;
}

static void table_end(struct table *t) {
    for (size_t i = 0; i < t->count; i++) {
        free(t->entries[i].key);
        free(t->entries[i].value);
    }
    free(t->entries);
    t->entries = NULL;
    t->count = 0;
}

int entries_ok(int n) {
    struct table t = { 0 };
    table_add(&t, "k", "v");
    table_add(&t, "l", "w");
    table_end(&t);
    return n;
}

int entries_bad(int n) {
    struct table t = { 0 };
    if (!table_add(&t, "k", "v"))    //~ memory-leak
        return 1;
    if (n > 2)
        return 1;
    table_end(&t);
    return 0;
}

static void entry_end(struct entry *entry) {
    free(entry->key);
    free(entry->value);
}

int entries_by_helper_ok(int n) {
    struct table t = { 0 };
    table_add(&t, "k", "v");
    struct entry *entry = t.entries, *end = entry + t.count;
    for (; entry < end; entry++)
        entry_end(entry);
    free(t.entries);
    return n;
}

// The last one is taken off and handed to the caller.
static char *vector_pop(struct vector *v) {
    return v->count ? v->items[--v->count] : NULL;
}

int popped_ok(int n) {
    struct vector v = { 0 };
    vector_push(&v, "a");
    free(vector_pop(&v));
    vector_clear(&v);
    return n;
}
