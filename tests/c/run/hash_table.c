// leaks: 5
// A hash table with growth by rehashing. Replaced values are not freed:
// three of them are lost. Two keys are spared at the end.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *key;
    char *value;
};

struct table {
    struct entry *entries;
    size_t used;
    size_t capacity;
};

static void *checked(void *block) {
    if (!block)
        exit(1);
    return block;
}

static char *copy(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(checked(malloc(size)), text, size);
}

static unsigned int hash(const char *key) {
    unsigned int h = 2166136261u;
    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 16777619u;
    return h;
}

static struct entry *slot(struct entry *entries, size_t capacity, const char *key) {
    size_t i = hash(key) & (capacity - 1);
    while (entries[i].key && strcmp(entries[i].key, key) != 0)
        i = (i + 1) & (capacity - 1);
    return &entries[i];
}

static void grow(struct table *table) {
    size_t capacity = table->capacity ? table->capacity * 2 : 4;
    struct entry *entries = checked(calloc(capacity, sizeof *entries));
    for (size_t i = 0; i < table->capacity; i++)
        if (table->entries[i].key)
            *slot(entries, capacity, table->entries[i].key) = table->entries[i];
    free(table->entries);
    table->entries = entries;
    table->capacity = capacity;
}

static void put(struct table *table, const char *key, const char *value) {
    if (table->used * 4 >= table->capacity * 3)
        grow(table);
    struct entry *entry = slot(table->entries, table->capacity, key);
    if (!entry->key) {
        entry->key = copy(key);
        table->used++;
    }
    entry->value = copy(value);
}

static const char *get(const struct table *table, const char *key) {
    if (!table->capacity)
        return "none";
    struct entry *entry = slot(table->entries, table->capacity, key);
    return entry->key ? entry->value : "missing";
}

static void release(struct table *table, char spared) {
    for (size_t i = 0; i < table->capacity; i++) {
        struct entry *entry = &table->entries[i];
        if (!entry->key)
            continue;
        free(entry->value);
        if (!strchr(entry->key, spared))
            free(entry->key);
    }
    free(table->entries);
}

int main(void) {
    struct table table = { NULL, 0, 0 };
    printf("%s\n", get(&table, "key1"));
    char key[16];
    char value[16];
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "key%d", i);
        snprintf(value, sizeof value, "v%d", i * i);
        put(&table, key, value);
    }
    put(&table, "key3", "again");
    put(&table, "key3", "and again");
    put(&table, "key11", "once");
    printf("%zu %zu\n", table.used, table.capacity);
    printf("%s %s %s %s\n", get(&table, "key3"), get(&table, "key11"), get(&table, "key19"), get(&table, "key20"));
    char *numbers = checked(malloc(4));
    strcpy(numbers, "0");
    for (int i = 1; i < 12; i++) {
        size_t length = strlen(numbers);
        numbers = checked(realloc(numbers, length + 8));
        snprintf(numbers + length, 8, ",%d", i * 7);
    }
    puts(numbers);
    free(numbers);
    release(&table, '8');
    return 0;
}
