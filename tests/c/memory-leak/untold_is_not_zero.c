// A callee makes something in zeroed memory, and what it puts there is too much to tell. That is not zero for it.
#include "stubs.h"

struct sum {
    int length, hash;
    int unused;
};

static struct sum *sum_of(const char *text) {
    struct sum *sum = calloc(1, sizeof *sum);
    if (!sum)
        return NULL;
    for (int i = 0; text[i]; i++) {
        sum->length += text[i] & 1;
        sum->hash ^= sum->length * 31 + text[i];
    }
    return sum;
}

int freed_unless_there_is_any_bad(const char *text) {
    struct sum *sum = sum_of(text);
    if (!sum)
        return -1;
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy) {
        free(sum);
        return -1;
    }
    int hash = sum->hash;
    free(sum);
    if (hash != 0)
        return hash;
    free(copy);
    return 0;
}

// What nothing was put into is zero.
int freed_as_it_is_zero_ok(const char *text) {
    struct sum *sum = sum_of(text);
    if (!sum)
        return -1;
    char *copy = strdup(text);
    int unused = sum->unused;
    free(sum);
    if (unused != 0)
        return unused;
    free(copy);
    return 0;
}

// A buffer refuses to be freed when its numbers make no sense, and it has grown by then.
struct text {
    char *data;
    const char *shown;
    size_t size, room, most;
    unsigned references;
    int readonly;
};

static int is_broken(const struct text *text) {
    return (!text->readonly && text->data != text->shown) || text->references < 1 || text->shown == NULL
        || text->room > text->most || text->size > text->room;
}

static struct text *text_new(void) {
    struct text *text = calloc(1, sizeof *text);
    if (!text)
        return NULL;
    text->room = 16;
    text->most = 1 << 20;
    text->references = 1;
    text->shown = text->data = calloc(1, text->room);
    if (!text->data) {
        free(text);
        return NULL;
    }
    return text;
}

static void text_free(struct text *text) {
    if (!text || is_broken(text))
        return;
    if (--text->references > 0)
        return;
    free(text->data);
    free(text);
}

static int text_put(struct text *text, const char *from, size_t length) {
    if (is_broken(text))
        return -1;
    if (length > text->most || text->most - length < text->size)
        return -2;
    if (text->size + length > text->room) {
        size_t room = (text->size + length + 255) / 256 * 256;
        char *data = realloc(text->data, room);
        if (!data)
            return -3;
        text->room = room;
        text->shown = text->data = data;
        if (is_broken(text))
            return -1;
    }
    memcpy(text->data + text->size, from, length);
    text->size += length;
    return 0;
}

static int text_from(const char *from, struct text **result) {
    *result = NULL;
    struct text *text = text_new();
    if (!text)
        return -3;
    int error = text_put(text, from, strlen(from));
    if (error)
        goto out;
    *result = text;
    text = NULL;
out:
    text_free(text);
    return error;
}

int shown_and_freed_ok(const char *from) {
    struct text *text = NULL;
    int error = text_from(from, &text);
    if (error)
        return error;
    puts(from);
    text_free(text);
    return 0;
}

int shown_and_kept_bad(const char *from) {
    struct text *text = NULL;
    int error = text_from(from, &text);    //~ memory-leak
    if (error)
        return error;
    puts(from);
    return 0;
}
