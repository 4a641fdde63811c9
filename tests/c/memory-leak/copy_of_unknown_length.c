#include "stubs.h"

/* Bytes of a number that only a function knows are copied into a member; what lies behind it stays. */

struct id {
    unsigned char kind;
    unsigned char bytes[32];
};

struct head {
    int local;
    struct id id;
    char *name;
};

static size_t id_size(unsigned char kind)
{
    return kind == 2 ? 32 : 20;
}

static void id_copy(struct id *to, const struct id *from)
{
    memcpy(to->bytes, from->bytes, id_size(from->kind));
    to->kind = from->kind;
}

static void id_clear(struct id *id, unsigned char kind)
{
    memset(id->bytes, 0, id_size(kind));
    id->kind = kind;
}

struct head *copied_before_its_name_ok(const struct id *id, const char *name)
{
    struct head *h = calloc(1, sizeof *h);
    if (h == NULL)
        return NULL;
    h->name = strdup(name);
    if (h->name == NULL) {
        free(h);
        return NULL;
    }
    id_copy(&h->id, id);
    return h;
}

struct head *cleared_before_its_name_ok(const char *name)
{
    struct head *h = calloc(1, sizeof *h);
    if (h == NULL)
        return NULL;
    h->name = strdup(name);
    if (h->name == NULL) {
        free(h);
        return NULL;
    }
    id_clear(&h->id, 2);
    return h;
}

struct head *name_replaced_bad(const struct id *id, const char *name)
{
    struct head *h = calloc(1, sizeof *h);
    if (h == NULL)
        return NULL;
    h->name = strdup(name); //~ memory-leak
    id_copy(&h->id, id);
    h->name = NULL;
    return h;
}

/* What another thread has put there is not what was expected. */

static void *set_if_empty(void **place, void *new)
{
    void *expected = NULL;
    __atomic_compare_exchange_n(place, &expected, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

struct owner {
    void *cache;
};

int published_or_freed_ok(struct owner *owner)
{
    char *cache = malloc(16);
    if (cache == NULL)
        return -1;
    if (set_if_empty(&owner->cache, cache) != NULL)
        free(cache);
    return 0;
}

int published_or_lost_bad(struct owner *owner)
{
    char *cache = malloc(16); //~ memory-leak
    if (cache == NULL)
        return -1;
    set_if_empty(&owner->cache, cache);
    return 0;
}
