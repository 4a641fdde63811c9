// An error number that is more than 0 becomes a result that is less: who tests for that has all failures.
#include "stubs.h"

static int last_result(void) {
    int error = errno;
    return error > 0 ? -error : -5;
}

static int send_if(int wanted) { return wanted ? last_result() : 0; }

int sent_or_freed_ok(int wanted, char **kept) {
    char *letter = malloc(80);
    if (!letter)
        return -1;
    if (send_if(wanted) < 0) {
        free(letter);
        return -1;
    }
    if (wanted)
        return -2;    // Never comes here.
    *kept = letter;
    return 0;
}

// Here it may be 0, which is not less.
static int perhaps_result(void) {
    int error = errno;
    return error >= 0 ? -error : -5;
}

static int send_perhaps(int wanted) { return wanted ? perhaps_result() : 0; }

int sent_or_freed_bad(int wanted, char **kept) {
    char *letter = malloc(80);    //~ memory-leak "letter"
    if (!letter)
        return -1;
    if (send_perhaps(wanted) < 0) {
        free(letter);
        return -1;
    }
    if (wanted)
        return -2;
    *kept = letter;
    return 0;
}
