// A failure jumps to a loop, which goes on with the next line.
#include "stubs.h"

static jmp_buf top;

static void fail(const char *text) {
    fprintf(stderr, "%s\n", text);
    longjmp(top, 1);
}

static void work_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    //~^ urgency ordinary
    if (!copy)
        return;
    if (copy[0] == '-')
        fail("an option");
    free(copy);
}

int main(int argc, char **argv) {
    char line[80];
    if (setjmp(top))
        printf("again\n");
    while (fgets(line, sizeof line, stdin))
        work_bad(argc > 1 ? argv[1] : line);
    return 0;
}
