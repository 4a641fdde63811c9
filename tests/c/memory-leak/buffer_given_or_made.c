//@ engines: path flow
#include "stubs.h"

/* A function fills the buffer that it is given, and makes one where there is none. */

struct item {
    int type;
    const void *data;
    size_t size;
};

struct key {
    int kind;
    size_t length;
    unsigned char bytes[32];
};

static int get_bytes(const struct item *item, void **to, size_t most, size_t *used)
{
    if ((to == NULL && used == NULL) || item == NULL || item->type != 5)
        return 0;
    if (used != NULL)
        *used = item->size;
    if (item->data == NULL)
        return 0;
    if (to == NULL)
        return 1;
    if (*to == NULL) {
        void *made = malloc(item->size);
        if (made == NULL)
            return 0;
        *to = made;
        most = item->size;
    }
    if (most < item->size)
        return 0;
    memcpy(*to, item->data, item->size);
    return 1;
}

int into_member_ok(struct key *key, const struct item *item)
{
    void *to = key->bytes;
    size_t used = 0;
    if (!get_bytes(item, &to, sizeof key->bytes, &used))
        return 0;
    key->length = used;
    return 1;
}

int into_element_ok(struct key *key, const struct item *item, int i)
{
    unsigned char local[64];
    void *to = local + i;
    size_t used = 0;
    if (!get_bytes(item, &to, 8, &used))
        return 0;
    key->length = used;
    return 1;
}

int made_and_dropped_bad(struct key *key, const struct item *item)
{
    void *to = NULL;
    size_t used = 0;
    if (!get_bytes(item, &to, 0, &used)) //~ memory-leak
        return 0;
    key->length = used;
    return 1;
}
