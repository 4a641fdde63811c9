// Two ways to end the process, and one function that only prints.
#include "stubs.h"

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    exit(1);
}

void usage(int code) {
    if (code > 2)
        die("usage: %d", code);
    puts("usage");
    exit(code);
}

void complain(const char *message) {
    fputs(message, stderr);
}
