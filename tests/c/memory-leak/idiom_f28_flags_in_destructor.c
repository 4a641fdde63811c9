// A destructor with flags, one that clears the pointer, and one behind a macro.
#include "stubs.h"

enum { FREE_KEY = 1 << 0, FREE_VALUE = 1 << 1 };
struct couple { char *key, *value; };

static void couple_free(struct couple *couple, int what) {
    if (what & FREE_KEY)
        free(couple->key);
    if (what & FREE_VALUE)
        free(couple->value);
    free(couple);
}
#define couple_free_all(c) couple_free((c), FREE_KEY | FREE_VALUE)

static struct couple *couple_new(const char *key, const char *value) {
    struct couple *couple = calloc(1, sizeof *couple);
    if (!couple)
        return NULL;
    if (!(couple->key = strdup(key)) || !(couple->value = strdup(value))) {
        couple_free_all(couple);
        return NULL;
    }
    return couple;
}

void all_of_it_ok(void) {
    struct couple *couple = couple_new("a", "b");
    if (couple)
        couple_free_all(couple);
}

void value_stays_bad(const char *key, const char *value) {
    struct couple *couple = couple_new(key, value);    //~ memory-leak
    if (couple)
        couple_free(couple, FREE_KEY);
}
