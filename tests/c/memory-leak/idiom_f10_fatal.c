// The failure path ends the process, or only looks as if it did.
#include "stubs.h"

static void fatal(const char *what) {
    fprintf(stderr, "fatal: %s\n", what);
    exit(2);
}

static void fatal_if(int bad, const char *what) {
    if (bad)
        fatal(what);
}

static int complain_count;
static void die(const char *what) {
    fprintf(stderr, "%s\n", what);
    if (++complain_count > 10)
        exit(1);
}

static void *must(void *block) {
    if (!block)
        abort();
    return block;
}

char *fatal_on_error_ok(const char *text, int strict) {
    char *copy = must(strdup(text));
    if (strict && copy[0] == ' ')
        fatal("leading space");
    return copy;
}

int fatal_if_ok(const char *text) {
    char *copy = strdup(text);
    fatal_if(copy == NULL, "memory");
    int value = atoi(copy);
    fatal_if(value < 0, "negative");
    free(copy);
    return value;
}

int asserted_ok(const char *text) {
    char *copy = strdup(text);
    assert(copy != NULL);
    if (copy[0] == '?') {
        assert(0);
    } else {
        free(copy);
    }
    return 1;
}

int die_comes_back_bad(const char *text) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (copy[0] == '-') {
        die("negative");
        return -1;
    }
    free(copy);
    return 0;
}
