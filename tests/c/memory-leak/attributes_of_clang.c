//@ engines: path flow
// Attributes that Clang itself puts into code or marks calls with: `cleanup`, `noreturn`, `returns_nonnull`.
#include "stubs.h"

static void free_text(char **text) { free(*text); }

int cleaned_up_ok(int early) {
    __attribute__((cleanup(free_text))) char *text = malloc(10);
    if (early)
        return 1;
    return text != 0;
}

static void forget_text(char **text) { *text = 0; }

int not_cleaned_up_bad(int early) {
    __attribute__((cleanup(forget_text))) char *text = malloc(10); //~ memory-leak
    if (early)
        return 1;
    return text != 0;
}

__attribute__((noreturn)) void stop(const char *why);

void stopped_ok(int bad) {
    char *text = malloc(10);
    if (bad)
        stop("bad");
    free(text);
}

void goes_on(const char *why);

void gone_on_bad(int bad) {
    char *text = malloc(10); //~ memory-leak
    if (bad) {
        goes_on("bad");
        return;
    }
    free(text);
}

struct thing;
__attribute__((returns_nonnull)) struct thing *always(int number);
struct thing *perhaps(int number);

// What is never null needs no way out.
int never_null_ok(void) {
    char *text = malloc(10);
    if (!text || !always(1))
        return 0;
    free(text);
    return 1;
}

int maybe_null_bad(void) {
    char *text = malloc(10); //~ memory-leak
    if (!text || !perhaps(1))
        return 0;
    free(text);
    return 1;
}
