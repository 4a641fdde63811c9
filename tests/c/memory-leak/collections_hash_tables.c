// Hash tables: arrays of lists.
#include "stubs.h"

struct item { struct item *next; char *key; int value; };
struct hash { struct item *slots[8]; int count; };

static unsigned slot_of(const char *key) {
    unsigned sum = 0;
    while (*key)
        sum = 31 * sum + (unsigned char)*key++;
    return sum % 8;
}

static void hash_put(struct hash *hash, const char *key, int value) {
    struct item *item = malloc(sizeof *item);
    if (!item)
        exit(1);
    item->key = strdup(key);
    item->value = value;
    unsigned slot = slot_of(key);
    item->next = hash->slots[slot];
    hash->slots[slot] = item;
    hash->count++;
}

static void hash_end(struct hash *hash) {
    for (int slot = 0; slot < 8; slot++) {
        struct item *item = hash->slots[slot];
        while (item) {
            struct item *next = item->next;
            free(item->key);
            free(item);
            item = next;
        }
        hash->slots[slot] = NULL;
    }
}

int put_ok(int n) {
    struct hash hash = { 0 };
    hash_put(&hash, "a", n);
    hash_put(&hash, "b", n);
    hash_end(&hash);
    return n;
}

int put_bad(int n) {
    struct hash hash = { 0 };
    hash_put(&hash, "a", n);    //~ miss(path) memory-leak: what a callee stores at an index that is not known counts as kept
    if (n > 2)
        return 1;
    hash_end(&hash);
    return 0;
}

static struct hash *hash_new(void) {
    struct hash *hash = calloc(1, sizeof *hash);
    if (!hash)
        exit(1);
    return hash;
}

int on_the_heap_ok(int n) {
    struct hash *hash = hash_new();
    hash_put(hash, "a", n);
    hash_end(hash);
    free(hash);
    return 0;
}

int on_the_heap_bad(int n) {
    struct hash *hash = hash_new();
    hash_put(hash, "a", n);    //~ miss(path) memory-leak: what a callee stores at an index that is not known counts as kept
    free(hash);
    return 0;
}

// With slots in a block of their own.
struct map { struct item **slots; unsigned room; };

static struct map *map_new(unsigned room) {
    struct map *map = malloc(sizeof *map);
    if (!map)
        exit(1);
    map->slots = calloc(room, sizeof *map->slots);
    if (!map->slots)
        exit(1);
    map->room = room;
    return map;
}

static void map_put(struct map *map, const char *key) {
    struct item *item = malloc(sizeof *item);
    if (!item)
        exit(1);
    item->key = strdup(key);
    item->next = map->slots[slot_of(key) % map->room];
    map->slots[slot_of(key) % map->room] = item;
}

static void items_free(struct item *item) {
    while (item) {
        struct item *next = item->next;
        free(item->key);
        free(item);
        item = next;
    }
}

static void map_free(struct map *map) {
    for (unsigned slot = 0; slot < map->room; slot++)
        items_free(map->slots[slot]);
    free(map->slots);
    free(map);
}

int map_ok(int n) {
    struct map *map = map_new(16);
    map_put(map, "a");
    map_put(map, "b");
    map_free(map);
    return n;
}

int map_bad(int n) {
    struct map *map = map_new(16);    //~ memory-leak
    map_put(map, "a");
    if (n > 2)
        return 1;
    map_free(map);
    return 0;
}

static struct item *map_take(struct map *map, const char *key) {
    struct item **at = &map->slots[slot_of(key) % map->room];
    for (; *at; at = &(*at)->next)
        if (strcmp((*at)->key, key) == 0) {
            struct item *item = *at;
            *at = item->next;
            return item;
        }
    return NULL;
}

static int map_remove(struct map *map, const char *key) {
    struct item *item = map_take(map, key);
    if (!item)
        return 0;
    free(item->key);
    free(item);
    return 1;
}

int removed_ok(int n) {
    struct map *map = map_new(4);
    map_put(map, "a");
    map_remove(map, "a");
    map_free(map);
    return n;
}
