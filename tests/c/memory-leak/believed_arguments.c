// Functions that are only declared, and fill a variable of their caller's with something that it must release.
#include "stubs.h"

int fetch(const char *key, char **value);
void split(const char *text, char **left);
int load(const char *name, char **text);

int known_ok(const char *key) {
    char *value;
    if (fetch(key, &value) != 0)
        return 0;
    int known = value[0] != 0;
    free(value);
    return known;
}

int length_bad(const char *key) {
    char *value;
    if (fetch(key, &value) != 0)    //~ memory-leak "`value`"
        return -1;
    if (value[0] == '#')
        return 0;
    int length = (int)strlen(value);
    free(value);
    return length;
}

// Without a result there is always something.
int left_bad(const char *text) {
    char *left = NULL;
    split(text, &left);    //~ memory-leak "`left`"
    if (!text[0])
        return 0;
    int first = left ? left[0] : 0;
    free(left);
    return first;
}

// Success is a number above zero.
int loaded_ok(const char *name) {
    char *text = NULL;
    int bytes = load(name, &text);
    if (bytes > 0) {
        puts(text);
        free(text);
    }
    return bytes;
}

int loaded_bad(const char *name) {
    char *text = NULL;
    int bytes = load(name, &text);    //~ memory-leak "`text`"
    if (bytes > 0)
        puts(text);
    return bytes;
}

// What a call has put into a variable is shown to another, and released after that whatever happens.
int setting(const char *key, char **value);
int apply(const char *value);

int applied_ok(void) {
    char *value = NULL;
    if (setting("mode", &value) != 0)
        return -1;
    int result = apply(value);
    free(value);
    return result < 0 ? -2 : 0;
}

int applied_bad(void) {
    char *value = NULL;
    if (setting("mode", &value) != 0)    //~ memory-leak "`value`"
        return -1;
    if (apply(value) < 0)
        return -2;
    free(value);
    return 0;
}
