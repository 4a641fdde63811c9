// A struct that owns both memory and a stream: each kind has its own rule.
#include "stubs.h"

struct reader {
    FILE *file;
    char *buffer;
};

static void reader_close(struct reader *reader) {
    if (!reader)
        return;
    if (reader->file)
        fclose(reader->file);
    free(reader->buffer);
    free(reader);
}

struct reader *reader_open_ok(const char *path) {
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->file = fopen(path, "r");
    if (!reader->file) {
        free(reader);
        return NULL;
    }
    reader->buffer = malloc(128);
    if (!reader->buffer) {
        fclose(reader->file);
        free(reader);
        return NULL;
    }
    return reader;
}

struct reader *reader_open_by_destructor_ok(const char *path) {
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->file = fopen(path, "r");
    reader->buffer = malloc(128);
    if (!reader->file || !reader->buffer) {
        reader_close(reader);
        return NULL;
    }
    return reader;
}

struct reader *stream_forgotten_bad(const char *path) {
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->file = fopen(path, "r");    //~ resource-leak "reader->file"
    reader->buffer = malloc(128);
    if (!reader->buffer) {
        free(reader);
        return NULL;
    }
    return reader;
}

struct reader *buffer_forgotten_bad(const char *path) {
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->buffer = malloc(128);    //~ memory-leak "reader->buffer"
    reader->file = fopen(path, "r");
    if (!reader->file) {
        free(reader);
        return NULL;
    }
    return reader;
}

int file_closed_memory_lost_bad(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    char *line = malloc(80);    //~ memory-leak "line"
    if (!line) {
        fclose(file);
        return -1;
    }
    if (!fgets(line, 80, file)) {
        fclose(file);
        return -1;
    }
    free(line);
    fclose(file);
    return 0;
}
