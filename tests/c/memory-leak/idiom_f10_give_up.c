// A failure ends the process, by way of a variadic function and a macro.
#include "stubs.h"

static STUB_NORETURN void fatal(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    exit(EXIT_FAILURE);
}

static void complain(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
}

#define REQUIRE(condition, message) do { if (!(condition)) fatal("%s\n", message); } while (0)

char *required_ok(const char *path) {
    char *name = strdup(path);
    FILE *file = fopen(path, "r");
    REQUIRE(name && file, "cannot open");
    fclose(file);
    return name;
}

char *only_complains_bad(const char *path, int bad) {
    char *name = strdup(path);    //~ memory-leak "name"
    if (bad) {
        complain("%s: no\n", path);
        return NULL;
    }
    return name;
}
