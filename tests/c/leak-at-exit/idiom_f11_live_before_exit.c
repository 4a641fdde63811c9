//@ flags: --rules all
// A call of exit ends the process as a return from main does.
#include "stubs.h"

int main(int argc, char **argv) {
    char *name = strdup(argv[0]);    //~ miss(path) leak-at-exit "name": a call of exit is not an end at which something can be held
    if (!name)
        exit(EXIT_FAILURE);
    if (argc > 1) {
        puts(name);
        exit(EXIT_SUCCESS);
    }
    free(name);
    return 0;
}
