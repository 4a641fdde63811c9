// The result is the argument itself or a copy of it.
#include "stubs.h"

static const char *absolute(const char *path, const char *root) {
    char *joined;
    if (path[0] == '/')
        return path;
    joined = malloc(strlen(path) + strlen(root) + 2);
    return joined ? strcat(strcat(strcpy(joined, root), "/"), path) : NULL;
}

int shown_ok(const char *path) {
    const char *full = absolute(path, "/home");
    if (!full)
        return -1;
    puts(full);
    if (full != path)
        free((void *)full);
    return 0;
}

int freed_if_the_same_bad(const char *path) {
    const char *full = absolute(path, "/home");    //~ memory-leak "full"
    if (!full)
        return -1;
    puts(full);
    if (full == path)
        return 1;
    return 0;
}
