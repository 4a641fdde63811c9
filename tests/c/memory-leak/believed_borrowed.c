// Functions that are only declared, and that give back what they are given: this program releases it after them, whatever
// happens.
#include "stubs.h"

struct stream;
struct stream *stream_open(const char *name);
int stream_read(struct stream *stream, char *buffer);
void stream_close(struct stream *stream);
int encode(char *to, const char *from);
int table_add(void *table, char *text);

int first_byte_ok(const char *name) {
    char byte = 0;
    struct stream *stream = stream_open(name);
    if (!stream)
        return -1;
    if (stream_read(stream, &byte) < 0) {
        stream_close(stream);
        return -1;
    }
    stream_close(stream);
    return byte;
}

int second_byte_bad(const char *name) {
    char bytes[2];
    struct stream *stream = stream_open(name);    //~ memory-leak "`stream`"
    if (!stream)
        return -1;
    if (stream_read(stream, bytes) < 0)
        return -1;
    stream_close(stream);
    return bytes[1];
}

// Memory of its own, shown to such a function.
int encoded_ok(const char *text) {
    char *buffer = malloc(64);
    if (!buffer)
        return -1;
    int length = encode(buffer, text);
    free(buffer);
    return length;
}

int encoded_bad(const char *text) {
    char *buffer = malloc(64);    //~ memory-leak "buffer"
    if (!buffer)
        return -1;
    int length = encode(buffer, text);
    if (length < 0)
        return -1;
    free(buffer);
    return length;
}

// Who releases it only where the call fails has handed it over where it does not.
int added_ok(void *table, const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (table_add(table, copy) < 0) {
        free(copy);
        return -1;
    }
    return 0;
}
