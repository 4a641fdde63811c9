// Release functions of the program itself: visible, through the address of the
// pointer, with flags, through a table, or not in sight at all.
#include "stubs.h"

struct buffer {
    char *data;
    int size;
};

#define KEEP_DATA 1
#define WIPE_DATA 2

#define SAFE_FREE(pointer) \
    do { \
        free(pointer); \
        (pointer) = NULL; \
    } while (0)

// Not in sight: the assumption is that it may release or keep its argument.
void library_release(void *block);

static void release(void *block) {
    if (block)
        free(block);
}

static void release_and_clear(char **place) {
    free(*place);
    *place = NULL;
}

static void release_nothing(void *block) {
    if (block)
        puts("kept");
}

static void buffer_release(struct buffer *buffer, int flags) {
    if (flags & WIPE_DATA)
        memset(buffer->data, 0, (size_t)buffer->size);
    if (!(flags & KEEP_DATA))
        free(buffer->data);
    free(buffer);
}

static struct buffer *buffer_new(int size) {
    if (size <= 0)
        return NULL;
    struct buffer *buffer = malloc(sizeof *buffer);
    if (!buffer)
        return NULL;
    buffer->size = size;
    buffer->data = malloc((size_t)size);
    if (!buffer->data) {
        free(buffer);
        return NULL;
    }
    return buffer;
}

struct allocator {
    void *(*take)(size_t size);
    void (*give)(void *block);
};

static const struct allocator heap = { malloc, free };
static const struct allocator careless = { malloc, release_nothing };

void visible_release_ok(const char *text) {
    char *copy = strdup(text);
    release(copy);
}

void through_address_ok(const char *text) {
    char *copy = strdup(text);
    release_and_clear(&copy);
    release_and_clear(&copy);
}

void macro_ok(const char *text) {
    char *copy = strdup(text);
    SAFE_FREE(copy);
    SAFE_FREE(copy);
}

void with_flags_ok(void) {
    struct buffer *buffer = buffer_new(16);
    if (buffer)
        buffer_release(buffer, WIPE_DATA);
}

char *data_kept_on_purpose_ok(void) {
    struct buffer *buffer = buffer_new(16);
    if (!buffer)
        return NULL;
    char *data = buffer->data;
    buffer_release(buffer, KEEP_DATA);
    return data;
}

int through_table_ok(void) {
    char *block = heap.take(8);
    if (!block)
        return -1;
    block[0] = 'x';
    heap.give(block);
    return 0;
}

void not_in_sight_ok(const char *text) {
    char *copy = strdup(text);
    library_release(copy);
}

void flag_means_do_not_free_bad(void) {
    struct buffer *buffer = buffer_new(16);    //~ memory-leak
    if (buffer)
        buffer_release(buffer, KEEP_DATA);
}

void name_promises_too_much_bad(const char *text) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    release_nothing(copy);
}

int through_careless_table_bad(void) {
    char *block = careless.take(8);    //~ memory-leak "block"
    if (!block)
        return -1;
    block[0] = 'x';
    careless.give(block);
    return 0;
}

void cleared_before_release_bad(const char *text) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    copy = NULL;
    release_and_clear(&copy);
}
