// A function with variable arguments owns what it is given.
#include "stubs.h"

// Frees each part after it was appended; the list ends with NULL.
static char *join_and_free(const char *separator, ...) {
    char *result = calloc(1, 256);
    va_list list;
    char *part;
    va_start(list, separator);
    while ((part = va_arg(list, char *)) != NULL) {
        if (result) {
            strncat(result, part, 100);
            strncat(result, separator, 10);
        }
        free(part);
    }
    va_end(list);
    return result;
}

struct expression {
    int operator;
    int count;
    struct expression *operands[4];
};

static struct expression *expression_new(int operator, int count, ...) {
    struct expression *expression = calloc(1, sizeof *expression);
    va_list list;
    if (!expression)
        abort();
    expression->operator = operator;
    expression->count = count;
    va_start(list, count);
    for (int i = 0; i < count && i < 4; i++)
        expression->operands[i] = va_arg(list, struct expression *);
    va_end(list);
    return expression;
}

char *joined_ok(const char *a, const char *b) {
    char *first = strdup(a), *second = strdup(b);
    if (!first || !second) {
        free(first);
        free(second);
        return NULL;
    }
    return join_and_free("/", first, second, (char *)NULL);
}

struct expression *sum_ok(void) {
    return expression_new('+', 2, expression_new('1', 0), expression_new('2', 0));
}

struct expression *operand_left_out_bad(int simple) {
    struct expression *one = expression_new('1', 0);
    struct expression *two = expression_new('2', 0);    //~ memory-leak "two"
    if (simple)
        return one;
    return expression_new('+', 2, one, two);
}

int never_joined_bad(const char *a) {
    char *first = strdup(a);    //~ memory-leak "first"
    if (!first)
        return -1;
    if (first[0] == '.')
        return 0;
    free(join_and_free("/", first, (char *)NULL));
    return 1;
}
