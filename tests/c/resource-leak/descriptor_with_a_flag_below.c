// A descriptor is passed with a flag in the bit below it. Who takes the flag away has the descriptor again.
#include "stubs.h"

static void put_and_close(int tagged) {
    if (tagged & 1)
        write(tagged >> 1, "a", 1);
    close(tagged >> 1);
}

static FILE *as_stream(int tagged) {
    return fdopen(tagged >> 1, (tagged & 1) ? "r" : "w");
}

static int put_only(int tagged) {
    return tagged & 1 ? (int)write(tagged >> 1, "a", 1) : 0;
}

void closed_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return;
    put_and_close((fd << 1) + 1);
}

int left_open_bad(const char *path) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "`fd`"
    if (fd < 0)
        return -1;
    return put_only((fd << 1) + 1);
}

FILE *stream_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return NULL;
    FILE *stream = as_stream((fd << 1) + 1);
    if (!stream)
        close(fd);
    return stream;
}

static FILE *unsigned_stream(unsigned tagged) {
    FILE *stream = fdopen((int)(tagged >> 1), (tagged & 1) ? "w" : "r");
    if (!stream)
        abort();
    return stream;
}

FILE *stream_for_writing(int fd) {
    return unsigned_stream(((unsigned)fd << 1) + 1);
}

int through_two_helpers_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    FILE *stream = stream_for_writing(fd);
    fputc('a', stream);
    return fclose(stream);
}

int another_number_bad(const char *path) {
    int fd = open(path, O_RDONLY);    //~ resource-leak "`fd`"
    if (fd < 0)
        return -1;
    FILE *stream = stream_for_writing(fd + 1);
    fputc('a', stream);
    return fclose(stream);
}
