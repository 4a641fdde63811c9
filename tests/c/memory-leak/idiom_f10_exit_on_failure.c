// A path that ends the process owes nothing. What counts is whether the function
// returns, not how it is called.
#include "stubs.h"

void fatal(const char *message) __attribute__((noreturn));

static void die(const char *message) {
    fputs(message, stderr);
    exit(1);
}

static void stop_forever(void) {
    for (;;)
        sleep(1);
}

static void die_if(int condition) {
    if (condition)
        exit(2);
}

static void die_by_name_only(const char *message) {
    fputs(message, stderr);
}

static void *must_have(void *block) {
    if (!block)
        die("out of memory");
    return block;
}

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "check failed: %s\n", #condition); \
            abort(); \
        } \
    } while (0)

int exit_on_failure_ok(const char *text, int broken) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (broken)
        exit(1);
    free(copy);
    return 0;
}

int abort_on_failure_ok(const char *text, int broken) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    CHECK(!broken);
    free(copy);
    return 0;
}

int underscore_exit_ok(const char *text, int broken) {
    char *copy = strdup(text);
    if (broken)
        _exit(1);
    free(copy);
    return 0;
}

int assertion_ok(const char *text, int size) {
    char *copy = strdup(text);
    assert(size > 0);
    free(copy);
    return size;
}

int unreachable_ok(const char *text, int kind) {
    char *copy = strdup(text);
    switch (kind) {
    case 0:
    case 1:
        free(copy);
        return kind;
    default:
        __builtin_unreachable();
    }
}

int trap_ok(const char *text, int kind) {
    char *copy = strdup(text);
    if (kind > 3)
        __builtin_trap();
    free(copy);
    return kind;
}

int visible_function_that_exits_ok(const char *text, int broken) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (broken)
        die("broken");
    free(copy);
    return 0;
}

int attribute_says_so_ok(const char *text, int broken) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (broken)
        fatal("broken");
    free(copy);
    return 0;
}

int endless_loop_ok(const char *text, int broken) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (broken)
        stop_forever();
    free(copy);
    return 0;
}

int exits_exactly_then_ok(const char *text, int broken) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    die_if(broken);
    if (broken)
        return -2;
    free(copy);
    return 0;
}

int second_allocation_dies_ok(void) {
    char *first = must_have(malloc(8));
    char *second = must_have(malloc(8));
    first[0] = 'a';
    second[0] = 'b';
    free(first);
    free(second);
    return 0;
}

int die_that_returns_bad(const char *text, int broken) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (broken) {
        die_by_name_only("broken");
        return -1;
    }
    free(copy);
    return 0;
}

int dies_only_sometimes_bad(const char *text, int error) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (error) {
        die_if(error > 10);
        return -1;
    }
    free(copy);
    return 0;
}

int checked_allocator_is_one_bad(int broken) {
    char *block = must_have(malloc(8));    //~ memory-leak "block"
    block[0] = 'a';
    if (broken)
        return -1;
    free(block);
    return 0;
}
