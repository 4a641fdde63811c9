// A table keeps the pointer in a slot, or makes a copy.
#include "stubs.h"

struct entry { const char *key; void *value; };
struct table { struct entry entries[16]; unsigned used : 5; };

static int table_put(struct table *table, const char *key, void *value) {
    if (table->used == 16)
        return -ENOMEM;
    table->entries[table->used++] = (struct entry){ .key = key, .value = value };
    return 0;
}

static int table_put_copy(struct table *table, const char *key, const char *value) {
    char *copy = strdup(value);
    if (!copy)
        return -ENOMEM;
    int error = table_put(table, key, copy);
    if (error)
        free(copy);
    return error;
}

int put_ok(struct table *table, const char *text) {
    char *value = strdup(text);
    int error = value ? table_put(table, "k", value) : -ENOMEM;
    if (error < 0)
        free(value);
    return error;
}

int copy_put_bad(struct table *table, const char *text) {
    char *value = strdup(text);    //~ memory-leak "value"
    if (!value)
        return -ENOMEM;
    return table_put_copy(table, "k", value);
}
