// A stream is used after it was closed.
#include "stubs.h"

int read_after_close_bad(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    fclose(file);
    return fgetc(file);    //~ use-after-release "file"
}

int error_test_after_close_bad(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    fputs("text", file);
    fclose(file);
    if (ferror(file))    //~ use-after-release "file"
        return -1;
    return 0;
}

int entry_after_closedir_bad(const char *path) {
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    closedir(directory);
    return readdir(directory) != NULL;    //~ use-after-release "directory"
}

int read_before_close_ok(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    int c = fgetc(file);
    fclose(file);
    return c;
}

int reopened_ok(const char *first, const char *second) {
    FILE *file = fopen(first, "r");
    if (!file)
        return -1;
    fclose(file);
    file = fopen(second, "r");
    if (!file)
        return -1;
    int c = fgetc(file);
    fclose(file);
    return c;
}
