//@ flags: --rules all
// A call of exit ends the process as a return from main does.
#include "stubs.h"

int main(int argc, char **argv) {
    char *name = strdup(argv[0]);    //~ leak-at-exit "name"
    if (!name)
        exit(EXIT_FAILURE);
    if (argc > 1) {
        puts(name);
        exit(EXIT_SUCCESS);
    }
    free(name);
    return 0;
}
