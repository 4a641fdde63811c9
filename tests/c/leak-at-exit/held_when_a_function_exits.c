//@ flags: --rules all
// Any function can end the process; what its variables hold then is held at exit.
#include "stubs.h"

static void die(const char *message) {
    puts(message);
    exit(1);
}

static void exits_with_a_local_bad(const char *text) {
    char *copy = strdup(text);    //~ leak-at-exit "copy"
    if (!copy)
        return;
    if (copy[0] == '-')
        exit(2);    //~ note "still holds it"
    free(copy);
}

static void exits_by_a_function_bad(const char *text) {
    char *copy = strdup(text);    //~ leak-at-exit "copy"
    if (!copy)
        return;
    if (copy[0] == '-')
        die("no options");
    free(copy);
}

static void aborts_bad(const char *text) {
    char *copy = strdup(text);    //~ leak-at-exit "copy"
    if (!copy)
        return;
    if (copy[0] == '-')
        abort();
    free(copy);
}

static void releases_before_exit_ok(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        die("out of memory");
    if (copy[0] == '-') {
        free(copy);
        exit(3);
    }
    free(copy);
}

static void failed_allocation_ok(void) {
    char *block = malloc(16);
    if (!block)
        exit(4);
    free(block);
}

// What the caller holds is the caller's.
static void fills_for_caller_ok(char **out, const char *text) {
    *out = strdup(text);
    if (text[0] == '-')
        exit(5);
}

// An assertion that fails is not the end that anyone plans for.
static void assertion_ok(const char *text) {
    char *copy = strdup(text);
    assert(text[0] != '-');
    free(copy);
}

int main(int argc, char **argv) {
    char *filled = NULL;
    exits_with_a_local_bad(argv[0]);
    exits_by_a_function_bad(argv[0]);
    aborts_bad(argv[0]);
    releases_before_exit_ok(argv[0]);
    failed_allocation_ok();
    fills_for_caller_ok(&filled, argv[0]);
    assertion_ok(argv[0]);
    free(filled);
    return argc == 0;
}
