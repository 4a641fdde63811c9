// Success is tested in unusual ways.
#include "stubs.h"

int comma_ok(const char *text) {
    char *copy;
    if (copy = strdup(text), copy == NULL)
        return -1;
    free(copy);
    return 0;
}

int not_not_ok(const char *text) {
    char *copy = strdup(text);
    if (!!copy) {
        puts(copy);
        free(copy);
    }
    return 0;
}

int either_failed_ok(const char *first, const char *second) {
    char *a = NULL, *b = NULL;
    if (!(a = strdup(first)) || NULL == (b = strdup(second))) {
        free(a);
        return -1;
    }
    puts(b);
    free(b);
    free(a);
    return 0;
}

int negated_inequality_ok(size_t size) {
    char *block = malloc(size);
    if (!(block != NULL))
        return -1;
    free(block);
    return 0;
}

int by_conditional_ok(size_t size) {
    char *block = malloc(size);
    int failed = block ? 0 : 1;
    if (failed)
        return -1;
    free(block);
    return 0;
}

int as_integer_ok(size_t size) {
    char *block = malloc(size);
    if ((uintptr_t)block == 0u)
        return -1;
    free(block);
    return 0;
}

int last_test_forgets_bad(const char *first, const char *second) {
    char *a = NULL;
    char *b = NULL;
    if (!(a = strdup(first)) || NULL == (b = strdup(second)))    //~ memory-leak "a"
        return -1;
    puts(b);
    free(b);
    free(a);
    return 0;
}

int inverted_bad(size_t size) {
    char *block = malloc(size);    //~ memory-leak "block"
    if (!(block == NULL))
        return -1;
    free(block);
    return 0;
}
