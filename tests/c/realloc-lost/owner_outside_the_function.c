// The same mistake when the owner of the old block is a parameter or a global: the
// function does not see the allocation, but the overwritten field was the pointer to it.
#include "stubs.h"

struct buffer {
    char *data;
    size_t capacity;
};

static char *scratch;
static size_t scratch_size;

int field_of_parameter_bad(struct buffer *buffer) {
    buffer->data = realloc(buffer->data, buffer->capacity + 64);    //~ realloc-lost "buffer->data"
    if (!buffer->data)
        return -1;
    buffer->capacity += 64;
    return 0;
}

int global_bad(size_t wanted) {
    if (wanted <= scratch_size)
        return 0;
    scratch = realloc(scratch, wanted);    //~ realloc-lost "scratch"
    if (!scratch)
        return -1;
    scratch_size = wanted;
    return 0;
}

int field_of_parameter_ok(struct buffer *buffer) {
    char *bigger = realloc(buffer->data, buffer->capacity + 64);
    if (!bigger)
        return -1;
    buffer->data = bigger;
    buffer->capacity += 64;
    return 0;
}

int global_ok(size_t wanted) {
    if (wanted <= scratch_size)
        return 0;
    char *bigger = realloc(scratch, wanted);
    if (!bigger)
        return -1;
    scratch = bigger;
    scratch_size = wanted;
    return 0;
}

// The caller still holds the old block, so nothing is lost here.
char *parameter_itself_ok(char *block, size_t size) {
    block = realloc(block, size);
    return block;
}
