// What is found at two unknown places of a table, or of an object that leads into itself, is not the same thing.
#include "stubs.h"

struct pair {
    char *key;
    char *value;
};
struct table {
    struct pair *pairs;
    unsigned size;
};
unsigned hash_of(const char *key);

static struct pair *find(const struct table *table, const char *key) {
    struct pair *pair = table->pairs + hash_of(key) % table->size;
    while (pair->key && strcmp(pair->key, key))
        pair = pair != table->pairs + table->size - 1 ? pair + 1 : table->pairs;
    return pair;
}

static int get(const struct table *table, const char *key, char **old_key, char **old_value) {
    struct pair *pair = find(table, key);
    if (!pair->key)
        return 0;
    *old_key = pair->key;
    *old_value = pair->value;
    return 1;
}

static struct table *names;

void key_and_value_ok(const char *name) {
    char *key, *value;
    if (!get(names, name, &key, &value))
        return;
    free(key);
    free(value);
}

void value_twice_bad(const char *name) {
    char *key, *value;
    if (!get(names, name, &key, &value))
        return;
    free(value);
    free(value); //~ double-release
}

struct reader {
    char *buffer;
    void *own;
};
struct format {
    char *parts;
};

// What a format needs of its own stands behind the reader.
static struct reader *reader_new(size_t size, size_t offset) {
    struct reader *reader = malloc(size);
    if (!reader)
        return 0;
    reader->buffer = 0;
    reader->own = (char *)reader + offset;
    return reader;
}

static int add_part(struct reader *reader) {
    struct format *format = reader->own;
    char *parts = realloc(format->parts, 100);
    if (!parts)
        return 0;
    format->parts = parts;
    return 1;
}

struct reader *own_part_ok(int bad) {
    struct reader *reader =
        reader_new(sizeof(struct reader) + sizeof(struct format), sizeof(struct reader));
    if (!reader)
        return 0;
    struct format *format = reader->own;
    format->parts = 0;
    reader->buffer = malloc(10);
    if (!reader->buffer) {
        free(reader);
        return 0;
    }
    if (!add_part(reader) || bad) {
        free(format->parts);
        free(reader->buffer);
        free(reader);
        return 0;
    }
    return reader;
}
