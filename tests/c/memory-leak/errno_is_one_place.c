// `errno` is one place: read twice with nothing in between it is one number.
#include "stubs.h"

static int why(void) {
    if (errno != 0)
        return errno;
    return EINVAL;
}

int stored_unless_failed_ok(char **result, int failed) {
    int code = 0;
    char *text = strdup("text");
    if (text == NULL)
        return -1;
    if (failed)
        code = why();
    if (code != 0) {
        free(text);
        return code;
    }
    if (!failed)
        *result = text;
    return 0;
}

static int why_or_nothing(void) {
    return errno;
}

int stored_unless_failed_bad(char **result, int failed) {
    int code = 0;
    char *text = strdup("text");    //~ memory-leak "text"
    if (text == NULL)
        return -1;
    if (failed)
        code = why_or_nothing();
    if (code != 0) {
        free(text);
        return code;
    }
    if (!failed)
        *result = text;
    return 0;
}

int asked_twice_ok(int number) {
    char *block = malloc(8);
    if (block == NULL)
        return -1;
    if (errno == number)
        free(block);
    if (errno != number)
        free(block);
    return 0;
}

int asked_twice_bad(int number) {
    char *block = malloc(8);    //~ memory-leak "block"
    if (block == NULL)
        return -1;
    if (errno == number)
        free(block);
    return 0;
}

int saved_ok(const char *name) {
    int saved = errno;
    char *copy = strdup(name);
    if (copy == NULL)
        return -1;
    errno = saved;
    if (errno == saved)
        free(copy);
    return 0;
}
