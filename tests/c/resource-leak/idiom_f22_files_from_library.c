// Streams that come from less obvious functions, and streams handed to a caller through an argument.
#include "stubs.h"

int memory_stream_closed_ok(int number) {
    char *buffer = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&buffer, &size);
    if (!stream)
        return -1;
    int written = fprintf(stream, "%d", number);
    fclose(stream);
    free(buffer);
    return written;
}

int stream_over_own_buffer_ok(char *bytes, size_t size) {
    FILE *stream = fmemopen(bytes, size, "r");
    if (!stream)
        return -1;
    int first = fgetc(stream);
    fclose(stream);
    return first;
}

int stream_over_own_buffer_bad(char *bytes, size_t size) {
    FILE *stream = fmemopen(bytes, size, "r");    //~ resource-leak "stream"
    if (!stream)
        return -1;
    return fgetc(stream);
}

int command_output_ok(const char *command) {
    FILE *output = popen(command, "r");
    if (!output)
        return -1;
    int first = fgetc(output);
    pclose(output);
    return first;
}

int command_output_bad(const char *command) {
    FILE *output = popen(command, "r");    //~ resource-leak "output"
    if (!output)
        return -1;
    int first = fgetc(output);
    if (first == EOF)
        return -1;
    pclose(output);
    return first;
}

static int open_for_caller(const char *path, FILE **out) {
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    *out = file;
    return 0;
}

int handed_through_argument_ok(const char *path) {
    FILE *file;
    if (open_for_caller(path, &file) < 0)
        return -1;
    int first = fgetc(file);
    fclose(file);
    return first;
}

int handed_through_argument_bad(const char *path, int limit) {
    FILE *file;
    if (open_for_caller(path, &file) < 0)    //~ resource-leak "file"
        return -1;
    if (fgetc(file) > limit)
        return -2;
    fclose(file);
    return 0;
}
