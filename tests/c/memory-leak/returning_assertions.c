#include "stubs.h"

/* Assertions of a library: they report themselves and return. Other checks return as well, and mean it. */

void report(int level, const char *format, ...);

#define ASSERT(condition)                                      \
    do {                                                       \
        if (!(condition)) {                                    \
            report(3, "%s: '%s'", "internal error", #condition); \
            return -1;                                         \
        }                                                      \
    } while (0)

#define CHECK(condition, message) \
    do {                          \
        if (!(condition)) {       \
            report(1, message);   \
            return -1;            \
        }                         \
    } while (0)

struct header {
    size_t size;
    char *name;
};

static size_t room(const struct header *h)
{
    return h->size;
}

int assertion_about_numbers_ok(struct header *h, size_t used)
{
    char *p = malloc(h->size);
    if (p == NULL)
        return -1;
    ASSERT(used <= h->size);
    free(p);
    return 0;
}

int assertion_about_pointer_ok(struct header *h)
{
    char *p = malloc(h->size);
    if (p == NULL)
        return -1;
    ASSERT(h->name);
    free(p);
    return 0;
}

int assertion_about_two_ok(struct header *h, size_t used)
{
    char *p = malloc(h->size);
    if (p == NULL)
        return -1;
    ASSERT(h->name && used < room(h));
    free(p);
    return 0;
}

int check_with_message_bad(struct header *h, size_t used)
{
    char *p = malloc(h->size); //~ memory-leak
    if (p == NULL)
        return -1;
    CHECK(used <= h->size, "used more than there is");
    free(p);
    return 0;
}

int report_by_hand_bad(struct header *h, size_t used)
{
    char *p = malloc(h->size); //~ memory-leak
    if (p == NULL)
        return -1;
    if (used > h->size) {
        report(1, "used");
        return -1;
    }
    free(p);
    return 0;
}
