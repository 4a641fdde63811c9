// One static object stands for the absent or empty value.
#include "stubs.h"

static char empty_text[] = "";
static char tombstone;
#define DELETED ((void *)&tombstone)

static char *text_or_empty(const char *from) {
    char *copy = from ? strdup(from) : NULL;
    return copy ? copy : empty_text;
}

static void text_done(char *text) {
    if (text != empty_text)
        free(text);
}

int shown_ok(const char *from) {
    char *text = text_or_empty(from);
    puts(text);
    text_done(text);
    return 0;
}

int deleted_is_no_block_ok(void **slot, size_t size) {
    void *block = malloc(size);
    if (!block)
        block = DELETED;
    if (block != DELETED) {
        *slot = block;
        return 1;
    }
    return 0;
}

int taken_for_the_sentinel_bad(const char *from) {
    char *text = text_or_empty(from);    //~ memory-leak "text"
    int first = text[0];
    if (text == empty_text)
        return 0;
    return first;
}

int freed_only_when_empty_bad(size_t size) {
    void *block = malloc(size);    //~ memory-leak
    if (!block)
        block = DELETED;
    if (block == DELETED)
        return 0;
    memset(block, 1, size);
    return 1;
}
