//@ problems: given-up
// A function is left early, and what follows is more than any budget allows. What is known of the early way out stands.
#include "stubs.h"

struct store { char *text; size_t used, room, most; };

static void store_drop(struct store *s) {
    free(s->text);
    s->text = NULL;
    s->used = s->room = 0;
}

static int store_put(struct store *s, const char *from, size_t count) {
    size_t need = s->used + count + 1, room = s->room;
    if (need > s->most) {
        store_drop(s);
        return -1;
    }
    if (room < need) {
        room = room ? room : 16;
        while (room < need)
            room *= 2;
        char *larger = realloc(s->text, room);
        if (!larger) {
            store_drop(s);
            return -2;
        }
        s->text = larger;
        s->room = room;
    }
    memcpy(s->text + s->used, from, count);
    s->used += count;
    s->text[s->used] = 0;
    return 0;
}

static int store_field(struct store *s, const char *name, const char *value) {
    if (!value)
        return 0;
    if (store_put(s, name, strlen(name)) || store_put(s, "=", 1))
        return -1;
    return store_put(s, value, strlen(value));
}

int asked(const char *name);

#define FIELDS(go)                                                                                                    \
    go(a) go(b) go(c) go(d) go(e) go(a) go(b) go(c) go(d) go(e) go(a) go(b) go(c) go(d) go(e) go(a) go(b) go(c) go(d) go(e)

#define OR_FAIL(field) if (store_field(&s, #field, field)) goto failed;
#define OR_RETURN(field)                                                                                              \
    if (store_field(&s, #field, field)) {                                                                             \
        fclose(log);                                                                                                  \
        return -1;                                                                                                    \
    }
#define COUNTED(field) errors += store_field(&s, #field, field) != 0;

int left_by_return_bad(const char *a, const char *b, const char *c, const char *d, const char *e, char **out) {
    struct store s = {NULL, 0, 0, 8000};
    char *key = strdup(a);    //~ memory-leak "key"
    if (!key)
        return -1;
    if (!asked(b))
        return -2;    //~ note "returns without freeing `key`"
    free(key);
    FIELDS(OR_FAIL)
    *out = s.text;
    return 0;
failed:
    store_drop(&s);
    return -1;
}

int left_by_jump_bad(const char *a, const char *b, const char *c, const char *d, const char *e, char **out) {
    struct store s = {NULL, 0, 0, 8000};
    int result = -1;
    FILE *log = fopen(a, "a");    //~ resource-leak "log"
    if (!log)
        return -1;
    if (asked(b))
        goto failed;
    fclose(log);
    FIELDS(OR_FAIL)
    *out = s.text;
    return 0;
failed:
    store_drop(&s);
    return result;    //~ note "returns without closing `log`"
}

int left_in_the_midst_bad(const char *a, const char *b, const char *c, const char *d, const char *e, char **out) {
    struct store s = {NULL, 0, 0, 8000};
    int errors = 0;
    char *copy = NULL;
    if (asked(a)) {
        copy = strdup(a);    //~ memory-leak "copy"
        if (!copy)
            return -1;
        if (asked(b) == 2)
            return -1;    //~ note "returns without freeing `copy`"
    }
    FIELDS(COUNTED)
    free(copy);
    *out = s.text;
    return errors;
}

int released_first_ok(const char *a, const char *b, const char *c, const char *d, const char *e, char **out) {
    struct store s = {NULL, 0, 0, 8000};
    char *key = strdup(a);
    if (!key)
        return -1;
    int known = asked(key);
    free(key);
    if (!known)
        return -2;
    FIELDS(OR_FAIL)
    *out = s.text;
    return 0;
failed:
    store_drop(&s);
    return -1;
}

int released_at_the_end_ok(const char *a, const char *b, const char *c, const char *d, const char *e, char **out) {
    struct store s = {NULL, 0, 0, 8000};
    int result = -1;
    char *key = strdup(a);
    if (!key)
        return -1;
    if (!asked(key))
        goto failed;
    FIELDS(OR_FAIL)
    *out = s.text;
    free(key);
    return 0;
failed:
    free(key);
    store_drop(&s);
    return result;
}

int released_on_each_way_ok(const char *a, const char *b, const char *c, const char *d, const char *e, char **out) {
    struct store s = {NULL, 0, 0, 8000};
    FILE *log = fopen(a, "a");
    if (!log)
        return -1;
    if (asked(b)) {
        fclose(log);
        return -2;
    }
    FIELDS(OR_RETURN)
    fclose(log);
    *out = s.text;
    return 0;
}
