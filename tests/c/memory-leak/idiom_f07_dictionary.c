// A dictionary keeps what it is given, or a copy of it.
#include "stubs.h"

struct pair {
    char *name;
    char *value;
};

struct dictionary {
    struct pair *pairs;
    size_t used, room;
};

static bool grow(struct dictionary *dictionary) {
    size_t room = dictionary->room ? dictionary->room * 2 : 8;
    struct pair *pairs = realloc(dictionary->pairs, room * sizeof *pairs);
    if (!pairs)
        return false;
    dictionary->pairs = pairs;
    dictionary->room = room;
    return true;
}

// Takes over both strings when it succeeds.
static bool dictionary_take(struct dictionary *dictionary, char *name, char *value) {
    if (dictionary->used == dictionary->room && !grow(dictionary))
        return false;
    struct pair *pair = &dictionary->pairs[dictionary->used++];
    pair->name = name;
    pair->value = value;
    return true;
}

static bool dictionary_copy(struct dictionary *dictionary, const char *name, const char *value) {
    char *n = strdup(name);
    char *v = strdup(value);
    if (n && v && dictionary_take(dictionary, n, v))
        return true;
    free(n);
    free(v);
    return false;
}

int set_number_ok(struct dictionary *dictionary, const char *name, int number) {
    char *key = strdup(name), *text = malloc(16);
    if (!key || !text)
        goto failed;
    snprintf(text, 16, "%d", number);
    if (!dictionary_take(dictionary, key, text))
        goto failed;
    return 0;
failed:
    free(key);
    free(text);
    return -1;
}

int set_copy_ok(struct dictionary *dictionary, int number) {
    char *text = malloc(16);
    if (!text)
        return -1;
    snprintf(text, 16, "%d", number);
    bool done = dictionary_copy(dictionary, "number", text);
    free(text);
    return done ? 0 : -1;
}

int copy_is_made_and_original_forgotten_bad(struct dictionary *dictionary, int number) {
    char *text = malloc(16);    //~ memory-leak "text"
    if (!text)
        return -1;
    snprintf(text, 16, "%d", number);
    return dictionary_copy(dictionary, "number", text) ? 0 : -1;
}

int refusal_drops_value_bad(struct dictionary *dictionary, const char *value) {
    static char name[] = "fixed";
    char *text = strdup(value);    //~ memory-leak "text"
    if (!text)
        return -1;
    if (!dictionary_take(dictionary, name, text))
        return -1;
    return 0;
}

// A table of fixed records: the bytes are copied.

struct record {
    char name[16];
    int uses;
};

static struct record records[8];

static void record_note(unsigned int at, const char *name) {
    struct record *record = &records[at % 8];
    size_t length = strlen(name);
    memcpy(record->name, name, length < 15 ? length : 15);
    record->uses++;
}

void noted_and_freed_ok(unsigned int at, const char *from) {
    char *name = strdup(from);
    if (!name)
        return;
    record_note(at, name);
    free(name);
}

void noted_and_forgotten_bad(unsigned int at, const char *from) {
    char *name = strdup(from);    //~ memory-leak "name"
    if (!name)
        return;
    record_note(at, name);
}
