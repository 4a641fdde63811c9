// A static variable that no function writes has the value of its initialiser.
#include "stubs.h"

static int always_five = 5;
static const int never = 0;
static int can_change = 0;

void allow_changes(void) { can_change = 1; }

void decided_by_initialiser_ok(void) {
    char *block = malloc(8);
    if (always_five == 5)
        free(block);
}

void branch_never_taken_ok(void) {
    char *block = malloc(8);
    if (never)
        return;
    free(block);
}

static int is_five(void) { return always_five == 5; }

int decided_in_callee_ok(void) {
    char *block = malloc(8);
    if (!is_five())
        return -1;
    free(block);
    return 0;
}

void decided_by_initialiser_bad(void) {
    char *block = malloc(8);    //~ memory-leak "block"
    if (always_five != 5)
        free(block);
}

void variable_that_changes_bad(void) {
    char *block = malloc(8);    //~ memory-leak "block"
    if (can_change)
        free(block);
}
