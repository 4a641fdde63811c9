// The functions that end the process are defined in another file, without any attribute.
#include "stubs.h"

void die(const char *format, ...);
void usage(int code);
void complain(const char *message);

int dies_in_another_file_ok(const char *text, int broken) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (broken) {
        die("broken: %s", copy);
        return -1;
    }
    free(copy);
    return 0;
}

int dies_two_calls_deep_ok(const char *text, int broken) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (broken) {
        usage(3);
        return -1;
    }
    free(copy);
    return 0;
}

int complains_and_returns_bad(const char *text, int broken) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (broken) {
        complain("broken");
        return -1;
    }
    free(copy);
    return 0;
}
