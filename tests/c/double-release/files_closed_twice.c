// The same stream or descriptor is closed twice.
#include "stubs.h"

static int read_first(FILE *file) {
    int c = fgetc(file);
    if (c == EOF)
        fclose(file);
    return c;
}

int stream_twice_bad(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    int c = fgetc(file);
    if (c == EOF)
        fclose(file);
    fclose(file);    //~ double-release "file"
    return c;
}

int stream_closed_by_callee_bad(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    int c = read_first(file);
    fclose(file);    //~ double-release "file"
    return c;
}

int descriptor_twice_bad(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    close(fd);
    return close(fd);    //~ double-release "fd"
}

int descriptor_after_its_stream_bad(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    FILE *stream = fdopen(fd, "r");
    if (!stream) {
        close(fd);
        return -1;
    }
    fclose(stream);
    close(fd);    //~ double-release "fd"
    return 0;
}

int stream_closed_by_callee_ok(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    int c = read_first(file);
    if (c != EOF)
        fclose(file);
    return c;
}

int descriptor_reset_ok(const char *path, int early) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    if (early) {
        close(fd);
        fd = -1;
    }
    if (fd >= 0)
        close(fd);
    return 0;
}

int two_streams_ok(const char *first, const char *second) {
    FILE *input = fopen(first, "r");
    if (!input)
        return -1;
    FILE *output = fopen(second, "w");
    if (output)
        fclose(output);
    fclose(input);
    return 0;
}
