// A function called die that is defined in another file and does return.
#include "stubs.h"

int die(const char *message);

int dies_by_name_only_bad(const char *text, int broken) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (broken)
        return die("broken");
    free(copy);
    return 0;
}

int dies_by_name_only_ok(const char *text, int broken) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    int result = 0;
    if (broken)
        result = die("broken");
    free(copy);
    return result;
}
