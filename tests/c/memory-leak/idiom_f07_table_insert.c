// Ownership is handed to a table or a pool, or it is not: the insertion may keep the
// pointer or copy what it points at.
#include "stubs.h"

#define SLOTS 16u

struct table {
    char *keys[SLOTS];
    unsigned int used;
};

struct copying_table {
    char keys[SLOTS][32];
    unsigned int used;
};

static struct table global_table;

static unsigned int hash(const char *key) {
    unsigned int value = 5381;
    while (*key)
        value = value * 33 + (unsigned char)*key++;
    return value % SLOTS;
}

static void table_put(struct table *table, char *key) {
    unsigned int slot = hash(key);
    free(table->keys[slot]);
    table->keys[slot] = key;
}

static bool table_push(struct table *table, char *key) {
    if (table->used >= SLOTS)
        return false;
    table->keys[table->used++] = key;
    return true;
}

static int table_put_copy(struct table *table, const char *key) {
    char *copy = strdup(key);
    if (!copy)
        return -1;
    unsigned int slot = hash(copy);
    free(table->keys[slot]);
    table->keys[slot] = copy;
    return 0;
}

static void copying_put(struct copying_table *table, const char *key) {
    unsigned int slot = hash(key);
    strncpy(table->keys[slot], key, 31);
    table->keys[slot][31] = '\0';
}

static char *make_key(int number) {
    char *key = malloc(16);
    if (!key)
        return NULL;
    snprintf(key, 16, "key%d", number);
    return key;
}

int table_keeps_it_ok(struct table *table, int number) {
    char *key = make_key(number);
    if (!key)
        return -1;
    table_put(table, key);
    return 0;
}

int global_table_keeps_it_ok(const char *text) {
    char *key = strdup(text);
    if (!key)
        return -1;
    table_put(&global_table, key);
    return 0;
}

int full_table_gives_it_back_ok(struct table *table, int number) {
    char *key = make_key(number);
    if (!key)
        return -1;
    if (!table_push(table, key)) {
        free(key);
        return -1;
    }
    return 0;
}

int copied_and_freed_ok(struct table *table, int number) {
    char *key = make_key(number);
    if (!key)
        return -1;
    int result = table_put_copy(table, key);
    free(key);
    return result;
}

struct pool_block {
    struct pool_block *next;
};

struct pool {
    struct pool_block *idle;
};

static void pool_give(struct pool *pool, void *memory) {
    struct pool_block *block = memory;
    block->next = pool->idle;
    pool->idle = block;
}

int pool_keeps_it_ok(struct pool *pool) {
    void *memory = malloc(64);
    if (!memory)
        return -1;
    pool_give(pool, memory);
    return 0;
}

int copied_and_not_freed_bad(struct table *table, int number) {
    char *key = make_key(number);    //~ memory-leak "key"
    if (!key)
        return -1;
    return table_put_copy(table, key);
}

int copied_into_array_bad(struct copying_table *table, const char *text) {
    char *key = strdup(text);    //~ memory-leak "key"
    if (!key)
        return -1;
    copying_put(table, key);
    return 0;
}

int full_table_is_ignored_bad(struct table *table, int number) {
    char *key = make_key(number);    //~ memory-leak "key"
    if (!key)
        return -1;
    table_push(table, key);
    return 0;
}

int local_table_dies_bad(const char *text) {
    struct table table = { { NULL }, 0 };
    char *key = strdup(text);    //~ miss(path) memory-leak: a local table that a callee fills at an index counts as keeping
    if (!key)
        return -1;
    table_push(&table, key);
    return (int)table.used;
}
