//@ flags: --rules all
// An exit after the last return of main is how it ends, as a return would be. One before that breaks off.
#include "stubs.h"

int main(int argc, char **argv) {
    char *name = strdup(argv[0]);    //~ leak-at-exit "name"
    if (!name)
        exit(EXIT_FAILURE);
    char *option = strdup(argv[argc - 1]);
    if (!option) {
        free(name);
        return 1;
    }
    for (int i = 0; option[i]; i++)
        if (option[i] == '-')
            exit(EXIT_SUCCESS);
    free(option);
    puts(name);
    exit(argc > 2);    //~ note "ends here without"
}
