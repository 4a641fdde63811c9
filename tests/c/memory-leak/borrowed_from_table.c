// A function looks something up and makes it when it is not there. What it returns belongs to the table, however far
// inside the table it lies.
#include "stubs.h"

struct entry {
    int key;
    char *name;
    struct entry *next;
};

static struct entry *table[16];

static char *name_of(int key) {
    struct entry *before, *entry;
    for (before = entry = table[key & 15]; entry; entry = entry->next) {
        if (entry->key == key)
            return entry->name;
        if (entry->key > key)
            break;
        before = entry;
    }
    struct entry *fresh = malloc(sizeof *fresh);
    if (!fresh)
        exit(1);
    fresh->key = key;
    fresh->name = strdup("name");
    fresh->next = entry;
    if (entry == table[key & 15])
        table[key & 15] = fresh;
    else
        before->next = fresh;
    return fresh->name;
}

void looked_up_ok(int key) {
    printf("%s", name_of(key));
}

struct list {
    struct entry *head;
};

static struct entry *find_or_add(struct list *list, int key) {
    struct entry *before = NULL, *entry = list->head;
    while (entry && entry->key < key) {
        before = entry;
        entry = entry->next;
    }
    if (entry && entry->key == key)
        return entry;
    struct entry *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return NULL;
    fresh->key = key;
    fresh->next = entry;
    if (before)
        before->next = fresh;
    else
        list->head = fresh;
    return fresh;
}

void added_to_parameter_ok(struct list *list, int key) {
    struct entry *entry = find_or_add(list, key);
    if (entry)
        entry->name = NULL;
}

static char *copy_of(int key) {
    char *name = name_of(key);
    return name ? strdup(name) : NULL;
}

void copy_dropped_bad(int key) {
    printf("%s", copy_of(key));    //~ memory-leak "copy_of"
}
