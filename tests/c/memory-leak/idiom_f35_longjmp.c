// A long jump leaves the frame without running the rest of it.
#include "stubs.h"

static jmp_buf recovery;

static void fail(void) { longjmp(recovery, 1); }

static void fail_if(int condition) {
    if (condition)
        longjmp(recovery, 2);
}

void released_before_jump_ok(const char *text, int error) {
    char *copy = strdup(text);
    if (!copy)
        return;
    if (error) {
        free(copy);
        longjmp(recovery, 1);
    }
    puts(copy);
    free(copy);
}

int released_where_it_lands_ok(const char *text, int error) {
    char *volatile copy = strdup(text);
    if (!copy)
        return -1;
    if (setjmp(recovery) != 0) {
        free(copy);
        return -1;
    }
    fail_if(error);
    free(copy);
    return 0;
}

static char *volatile pending;

void kept_in_global_ok(const char *text, int error) {
    free(pending);
    pending = strdup(text);
    if (error)
        longjmp(recovery, 1);
    free(pending);
    pending = NULL;
}

void lost_by_the_jump_bad(const char *text, int error) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return;
    if (error)
        longjmp(recovery, 1);
    puts(copy);
    free(copy);
}

void lost_by_jump_of_callee_bad(const char *text, int error) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return;
    if (error)
        fail();
    puts(copy);
    free(copy);
}

void lost_by_conditional_jump_bad(const char *text, int error) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return;
    fail_if(error);
    puts(copy);
    free(copy);
}
