// Errors jump back to where the work began.
#include "stubs.h"

static jmp_buf back;

static int digit(int c) {
    if (!isdigit(c))
        longjmp(back, 1);
    return c - '0';
}

int number_ok(const char *text) {
    char *volatile copy = strdup(text);
    int value = -1;
    if (copy && setjmp(back) == 0)
        value = digit(copy[0]);
    free(copy);
    return value;
}

int helper_bad(const char *text) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    int value = copy ? digit(copy[0]) : -1;
    free(copy);
    return value;
}
