// A failure jumps to `main`, which ends: what was held on the way goes with the process.
#include "stubs.h"

static jmp_buf top;

static void fail(const char *text) {
    fprintf(stderr, "%s\n", text);
    longjmp(top, 1);
}

static void work_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    //~^ urgency process-ending
    if (!copy)
        return;
    if (copy[0] == '-')
        fail("an option");
    free(copy);
}

int main(int argc, char **argv) {
    char line[80];
    int status = setjmp(top);
    if (status) {
        fflush(stdout);
        return status;
    }
    while (fgets(line, sizeof line, stdin))
        work_bad(argc > 1 ? argv[1] : line);
    return 0;
}
