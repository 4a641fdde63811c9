//@ flags: --rules all --confidence low
// A block that a global still points at when main returns. It can be reached to the last, so it is told only on request.
#include "stubs.h"

static char *program_name;
static char *greeting;

int main(int argc, char **argv) {
    greeting = strdup("hello");
    if (!greeting)
        return 1;
    program_name = strdup(argv[0]);    //~ leak-at-exit "program_name"
    if (program_name)
        printf("%s %s %d\n", greeting, program_name, argc);
    free(greeting);
    return 0;
}
