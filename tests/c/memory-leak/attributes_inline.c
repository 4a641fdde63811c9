// Attributes that stand in the file itself: in both spellings, in front of the declaration and behind it. A body counts more than an attribute.
#include "stubs.h"

#if !defined(__clang__)
#define FREED_BY(f, n) __attribute__((malloc(f, n)))
#else
#define FREED_BY(f, n)
#endif

struct pool;
void pool_put(struct pool *pool, void *block);
void *pool_get(struct pool *pool) FREED_BY(pool_put, 2);
char *name_of(int id) FREED_BY(free, 1);
FREED_BY(free, 1) char *title_of(int id);

// The body says that what it returns is not the caller's.
static char buffer[10];
char *shared_name(int id) FREED_BY(free, 1);
char *shared_name(int id) {
    buffer[0] = (char)id;
    return buffer;
}

void pool_ok(struct pool *pool) {
    void *block = pool_get(pool);
    if (block)
        pool_put(pool, block);
}

void pool_bad(struct pool *pool, int keep) {
    void *block = pool_get(pool); //~ memory-leak "object"
    if (keep)
        pool_put(pool, block);
}

// What an object leads to goes with it.
struct item {
    char *text;
};
void item_free(struct item *item);
struct item *item_new(void) FREED_BY(item_free, 1);

void item_with_text_ok(void) {
    struct item *item = item_new();
    if (!item)
        return;
    item->text = malloc(10);
    item_free(item);
}

void name_ok(int id) { free(name_of(id)); }

int name_bad(int id) {
    char *name = name_of(id); //~ memory-leak
    return name ? 1 : 0;
}

int title_bad(int id) {
    char *title = title_of(id); //~ memory-leak
    return title ? 1 : 0;
}

int shared_ok(int id) {
    char *name = shared_name(id);
    return name[0];
}
