//@ flags: --rules all
// Any function can end the process. It breaks off then, and what its variables hold is alive like they are: nobody could
// have released it in a better place. What a global holds is held to the end, whoever exits.
#include "stubs.h"

static void die(const char *message) {
    puts(message);
    exit(1);
}

static void exits_with_a_local_ok(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return;
    if (copy[0] == '-')
        exit(2);
    free(copy);
}

static void exits_by_a_function_ok(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return;
    if (copy[0] == '-')
        die("no options");
    free(copy);
}

static void aborts_ok(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return;
    if (copy[0] == '-')
        abort();
    free(copy);
}

// Also when all went well.
static void exits_with_success_ok(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return;
    if (copy[0] == '-')
        exit(0);
    free(copy);
}

static char *kept;

static void keeps_and_exits_bad(const char *text) {
    kept = strdup(text);    //~ leak-at-exit "kept"
    if (text[0] == '-')
        exit(6);
    free(kept);
    kept = NULL;
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
    exits_with_a_local_ok(argv[0]);
    exits_by_a_function_ok(argv[0]);
    aborts_ok(argv[0]);
    exits_with_success_ok(argv[0]);
    keeps_and_exits_bad(argv[0]);
    releases_before_exit_ok(argv[0]);
    failed_allocation_ok();
    fills_for_caller_ok(&filled, argv[0]);
    assertion_ok(argv[0]);
    free(filled);
    return argc == 0;
}
