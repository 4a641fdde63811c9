// A descriptor is a number: a function that is given one may close it or keep it like any other resource.
#include "stubs.h"

int register_descriptor(int fd);

static int copy_all(int from, int to, bool close_them) {
    char buffer[64];
    ssize_t length;
    int result = 0;
    while ((length = read(from, buffer, sizeof buffer)) > 0)
        if (write(to, buffer, (size_t)length) != length)
            result = -1;
    if (length < 0)
        result = -1;
    if (close_them) {
        close(from);
        close(to);
    }
    return result;
}

int closed_by_helper_ok(const char *a, const char *b) {
    int from = open(a, O_RDONLY), to;
    if (from < 0)
        return -1;
    to = open(b, O_WRONLY);
    if (to < 0) {
        close(from);
        return -1;
    }
    return copy_all(from, to, true);
}

int left_open_by_helper_bad(const char *a, const char *b) {
    int from = open(a, O_RDONLY), to;    //~ resource-leak "from"
    if (from < 0)
        return -1;
    to = open(b, O_WRONLY);    //~ resource-leak "to"
    if (to < 0) {
        close(from);
        return -1;
    }
    return copy_all(from, to, false);
}

struct stream {
    int fd;
    int position;
};

static void stream_close(struct stream *stream) {
    if (stream->fd >= 0)
        close(stream->fd);
    stream->fd = -1;
}

int in_a_field_ok(const char *name) {
    struct stream stream = {0};
    stream.fd = open(name, O_RDONLY);
    if (stream.fd < 0)
        return -1;
    stream_close(&stream);
    return 0;
}

static int pass_on(int fd) {
    return register_descriptor(fd);
}

int kept_by_unknown_function_ok(const char *name) {
    int fd = open(name, O_RDONLY);
    if (fd < 0)
        return -1;
    return pass_on(fd);
}
