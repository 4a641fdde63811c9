// A length that was tested is returned in a narrower type: it is not negative, so a
// negative result means failure and nothing else.
#include "stubs.h"

#define MOST 2147483647

struct buffer {
    char *data;
    size_t used;
};

static int buffer_read(FILE *stream, struct buffer **out) {
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return -1;
    buffer->data = malloc(100);
    if (!buffer->data)
        goto failed;
    buffer->used = fread(buffer->data, 1, 100, stream);
    if (buffer->used > MOST)
        goto failed;
    *out = buffer;
    return (int)buffer->used;
failed:
    free(buffer->data);
    free(buffer);
    return -1;
}

static void buffer_free(struct buffer *buffer) {
    free(buffer->data);
    free(buffer);
}

int print_ok(FILE *stream) {
    struct buffer *buffer = NULL;
    int ok = buffer_read(stream, &buffer) >= 0;
    if (ok) {
        puts(buffer->data);
        buffer_free(buffer);
    }
    return ok;
}

int print_bad(FILE *stream) {
    struct buffer *buffer = NULL;
    int ok = buffer_read(stream, &buffer) > 0;    //~ memory-leak
    if (ok) {
        puts(buffer->data);
        buffer_free(buffer);
    }
    return ok;
}
