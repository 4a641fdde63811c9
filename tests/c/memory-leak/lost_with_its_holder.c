// A structure that is lost takes along what it holds. That is one mistake, and one finding if there is much of it.
#include "stubs.h"

struct entry {
    char *key, *value;
    struct entry *next;
};

void forgotten_bad(const char *key, const char *value, int stop) {
    struct entry *entry = malloc(sizeof *entry);    //~ memory-leak "entry"
    if (!entry)
        abort();
    entry->next = NULL;
    entry->key = strdup(key);    //~ note "leaks too"
    entry->value = strdup(value);    //~ note "leaks too"
    if (stop)
        return;
    free(entry->key);
    free(entry->value);
    free(entry);
}

void one_inside_bad(const char *key, int stop) {
    struct entry *entry = malloc(sizeof *entry);    //~ memory-leak "entry"
    if (!entry)
        abort();
    entry->next = NULL;
    entry->value = NULL;
    entry->key = strdup(key);    //~ memory-leak "entry->key"
    if (stop)
        return;
    free(entry->key);
    free(entry);
}

void key_forgotten_bad(const char *key, const char *value) {
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        abort();
    entry->next = NULL;
    entry->key = strdup(key);    //~ memory-leak "entry->key"
    entry->value = strdup(value);
    free(entry->value);
    free(entry);
}
