// A header in front of what the caller sees.
#include "stubs.h"

struct prefix {
    size_t length;
    unsigned int magic;
    unsigned int spare;
};

static char *text_alloc(size_t length) {
    struct prefix *prefix = malloc(sizeof(struct prefix) + length + 1);
    if (prefix == NULL)
        return NULL;
    prefix->length = length;
    prefix->magic = 0xfeedu;
    return (char *)(prefix + 1);
}

static void text_free(char *text) {
    if (text)
        free((struct prefix *)text - 1);
}

static void text_free_checked(char *text) {
    struct prefix *prefix;
    if (!text)
        return;
    prefix = (struct prefix *)(text - sizeof(struct prefix));
    if (prefix->length > 16)
        free(prefix);
}

char *text_dup_ok(const char *from) {
    char *text = text_alloc(strlen(from));
    if (text)
        strcpy(text, from);
    return text;
}

int text_used_ok(const char *from) {
    char *text = text_alloc(strlen(from));
    if (!text)
        return -1;
    strcpy(text, from);
    int first = text[0];
    text_free(text);
    return first;
}

int text_freed_by_hand_ok(size_t length) {
    char *text = text_alloc(length);
    if (!text)
        return -1;
    free(text - sizeof(struct prefix));
    return 0;
}

int text_forgotten_bad(const char *from) {
    char *text = text_alloc(strlen(from));    //~ memory-leak "text"
    if (!text)
        return -1;
    strcpy(text, from);
    return text[0];
}

int short_text_is_kept_bad(void) {
    char *text = text_alloc(8);    //~ memory-leak "text"
    if (!text)
        return -1;
    text_free_checked(text);
    return 0;
}
