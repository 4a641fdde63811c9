// The result of an allocating call is thrown away, openly or behind a condition.
#include "stubs.h"

static char *make(size_t size) {
    return calloc(1, size);
}

static int count_made;

static char *make_and_count(size_t size) {
    count_made++;
    return make(size);
}

void result_used_ok(void) {
    char *block = make_and_count(8);
    free(block);
}

void result_passed_on_ok(void) {
    free(make(8));
}

char *result_returned_ok(void) {
    return make_and_count(8);
}

void result_dropped_bad(void) {
    malloc(8);    //~ memory-leak "the result of `malloc` leaks: it is not stored anywhere"
}

void result_of_wrapper_dropped_bad(void) {
    make(8);    //~ memory-leak
}

void result_of_deep_wrapper_dropped_bad(void) {
    (void)make_and_count(8);    //~ memory-leak
}

int result_only_tested_bad(void) {
    if (make(8))    //~ memory-leak
        return 1;
    return 0;
}

int result_only_compared_bad(const char *text) {
    return strdup(text) == NULL;    //~ memory-leak
}
