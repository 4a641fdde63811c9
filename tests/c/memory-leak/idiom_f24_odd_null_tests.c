// Every spelling of the NULL test decides the same thing.
#include "stubs.h"

int assignment_in_condition_ok(void) {
    char *block;
    if (NULL == (block = malloc(8)))
        return -1;
    free(block);
    return 0;
}

int comma_ok(void) {
    char *block;
    if ((block = malloc(8), !block))
        return -1;
    free(block);
    return 0;
}

int double_negation_ok(void) {
    char *block = malloc(8);
    if (!(block != NULL))
        return -1;
    free(block);
    return 0;
}

int not_not_ok(void) {
    char *block = malloc(8);
    if (!!block) {
        free(block);
        return 0;
    }
    return -1;
}

int disjunction_ok(int broken) {
    char *block = malloc(8);
    if (!block || broken) {
        free(block);
        return -1;
    }
    free(block);
    return 0;
}

int chain_of_conjunctions_ok(void) {
    char *first = NULL;
    char *second = NULL;
    int result = -1;
    if ((first = malloc(8)) && (second = malloc(8))) {
        first[0] = second[0] = 'x';
        result = 0;
    }
    free(second);
    free(first);
    return result;
}

int conditional_expression_ok(void) {
    char *block;
    return (block = malloc(8)) ? (free(block), 0) : -1;
}

int test_kept_in_variable_ok(void) {
    char *block = malloc(8);
    int failed = block == NULL;
    if (failed)
        return -1;
    free(block);
    return 0;
}

static bool is_null(const void *pointer) { return pointer == NULL; }

int test_in_a_helper_ok(void) {
    char *block = malloc(8);
    if (is_null(block))
        return -1;
    free(block);
    return 0;
}

int test_as_integer_ok(void) {
    char *block = malloc(8);
    if ((uintptr_t)block == 0)
        return -1;
    free(block);
    return 0;
}

int loop_as_test_ok(void) {
    char *block;
    while ((block = malloc(8)) != NULL) {
        free(block);
        break;
    }
    return 0;
}

int first_of_two_bad(void) {
    char *first;
    char *second;
    if (!(first = malloc(8)) ||    //~ memory-leak "first"
        !(second = malloc(8)))
        return -1;
    free(second);
    free(first);
    return 0;
}

int wrong_sense_bad(void) {
    char *block = malloc(8);    //~ memory-leak "block"
    if (!(block == NULL))
        return 0;
    free(block);
    return -1;
}

int disjunction_bad(int broken) {
    char *block = malloc(8);    //~ memory-leak "block"
    if (!block || broken)
        return -1;
    free(block);
    return 0;
}

int comma_bad(int n) {
    char *block;
    if ((block = malloc(8), n < 0))    //~ memory-leak "block"
        return -1;
    free(block);
    return 0;
}
