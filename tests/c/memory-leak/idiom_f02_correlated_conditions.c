// The block is allocated and released under the same condition, tested twice.
#include "stubs.h"

#define FLAG_OWN 1u
#define FLAG_LOG 2u

void same_comparison_ok(int a, int b) {
    char *block = NULL;
    if (a > b)
        block = malloc(8);
    printf("%d %d\n", a, b);
    if (a > b)
        free(block);
}

void same_comparison_turned_round_ok(int a, int b) {
    char *block = NULL;
    if (a > b)
        block = malloc(8);
    printf("%d\n", a);
    if (b < a)
        free(block);
}

void negated_comparison_ok(int a, int b) {
    char *block;
    if (a > b)
        block = malloc(8);
    printf("%d\n", b);
    if (!(a <= b))
        free(block);
}

int condition_in_a_variable_ok(const char *text, int length) {
    char fixed[16];
    char *work = fixed;
    bool big = length >= 16;
    if (big) {
        work = malloc((size_t)length + 1);
        if (!work)
            return -1;
    }
    snprintf(work, 16, "%s", text);
    int first = work[0];
    if (big)
        free(work);
    return first;
}

void flag_bit_ok(unsigned int flags, const char *text) {
    char *copy = NULL;
    if (flags & FLAG_OWN)
        copy = strdup(text);
    if (flags & FLAG_LOG)
        puts(text);
    if (flags & FLAG_OWN)
        free(copy);
}

enum kind { KIND_NUMBER, KIND_TEXT, KIND_LIST };

void same_switch_twice_ok(enum kind kind) {
    char *text = NULL;
    char *list = NULL;
    switch (kind) {
    case KIND_TEXT:
        text = malloc(8);
        break;
    case KIND_LIST:
        list = malloc(16);
        break;
    default:
        break;
    }
    printf("%d\n", (int)kind);
    switch (kind) {
    case KIND_TEXT:
        free(text);
        break;
    case KIND_LIST:
        free(list);
        break;
    default:
        break;
    }
}

int condition_in_a_field_ok(const struct sockaddr *address) {
    char *block = NULL;
    if (address->sa_family == AF_INET) {
        block = malloc(32);
        if (!block)
            return -1;
    }
    int family = address->sa_family;
    if (family == AF_INET)
        free(block);
    return family;
}

void other_side_of_equality_bad(int a, int b) {
    char *block = NULL;
    if (a >= b)
        block = malloc(8);    //~ memory-leak "block"
    printf("%d %d\n", a, b);
    if (a > b)
        free(block);
}

void other_variable_bad(int a, int b, int c) {
    char *block = NULL;
    if (a > b)
        block = malloc(8);    //~ memory-leak "block"
    printf("%d\n", c);
    if (a > c)
        free(block);
}

void other_flag_bit_bad(unsigned int flags, const char *text) {
    char *copy = NULL;
    if (flags & FLAG_OWN)
        copy = strdup(text);    //~ memory-leak "copy"
    if (flags & FLAG_LOG)
        free(copy);
}

void variable_changed_between_bad(int a, int b) {
    char *block = NULL;
    if (a > b)
        block = malloc(8);    //~ memory-leak "block"
    b++;
    if (a > b)
        free(block);
}

void other_case_of_switch_bad(enum kind kind) {
    char *text = NULL;
    if (kind != KIND_NUMBER)
        text = malloc(8);    //~ memory-leak "text"
    switch (kind) {
    case KIND_TEXT:
        free(text);
        break;
    default:
        break;
    }
}
