// The allocator hides a header in front of the block it returns, and the matching
// release steps back over it.
#include "stubs.h"

struct header {
    size_t size;
    size_t magic;
};

static void *tracked_alloc(size_t size) {
    struct header *header = malloc(sizeof *header + size);
    if (!header)
        return NULL;
    header->size = size;
    header->magic = 0x5afe;
    return header + 1;
}

static void tracked_free(void *block) {
    if (!block)
        return;
    struct header *header = (struct header *)block - 1;
    free(header);
}

static void tracked_free_if(void *block, int really) {
    struct header *header = (struct header *)block - 1;
    if (really)
        free(header);
}

static size_t tracked_size(const void *block) {
    return ((const struct header *)block - 1)->size;
}

void *header_is_hidden_ok(size_t size) { return tracked_alloc(size); }

size_t released_by_stepping_back_ok(size_t size) {
    char *block = tracked_alloc(size);
    if (!block)
        return 0;
    size_t seen = tracked_size(block);
    tracked_free(block);
    return seen;
}

// The original pointer is kept in the word before the aligned block.

static void *aligned_take(size_t size) {
    char *raw = malloc(size + 64 + sizeof(void *));
    if (!raw)
        return NULL;
    uintptr_t start = (uintptr_t)(raw + sizeof(void *) + 63) & ~(uintptr_t)63;
    void **aligned = (void **)start;
    aligned[-1] = raw;
    return aligned;
}

static void aligned_give(void *block) {
    if (block)
        free(((void **)block)[-1]);
}

int original_pointer_is_kept_before_ok(void) {
    int *numbers = aligned_take(16);
    if (!numbers)
        return -1;
    numbers[0] = 4;
    int seen = numbers[0];
    aligned_give(numbers);
    return seen;
}

// A string object whose handle is the text inside it.

struct text {
    size_t length;
    char bytes[];
};

static char *text_new(const char *from) {
    size_t length = strlen(from);
    struct text *text = malloc(sizeof *text + length + 1);
    if (!text)
        return NULL;
    text->length = length;
    memcpy(text->bytes, from, length + 1);
    return text->bytes;
}

static void text_free(char *bytes) {
    if (bytes)
        free(bytes - offsetof(struct text, bytes));
}

size_t handle_is_inside_ok(const char *from) {
    char *handle = text_new(from);
    if (!handle)
        return 0;
    size_t length = strlen(handle);
    text_free(handle);
    return length;
}

char *handle_is_returned_ok(const char *from) {
    char *handle = text_new(from);
    return handle;
}

size_t handle_is_lost_bad(const char *from, size_t limit) {
    char *handle = text_new(from);    //~ memory-leak "handle"
    if (!handle)
        return 0;
    size_t length = strlen(handle);
    if (length > limit)
        return 0;
    text_free(handle);
    return length;
}

void released_on_one_path_bad(int really) {
    void *block = tracked_alloc(8);    //~ memory-leak "block"
    if (!block)
        return;
    tracked_free_if(block, really);
}

size_t only_looked_at_bad(size_t size) {
    void *block = tracked_alloc(size);    //~ memory-leak "block"
    if (!block)
        return 0;
    return tracked_size(block);
}
