// The program ends with objects alive; only what is lost on the way is lost.
//@ flags: --rules all
#include "stubs.h"

static char *program;

int main(int argc, char **argv) {
    char *output = NULL;
    program = strdup(argv[0]);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1] == 'o') {
            free(output);
            output = strdup(argv[i] + 2);    //~ leak-at-exit "output"
        } else {
            char *upper = strdup(argv[i]);    //~ memory-leak "upper"
            if (upper && upper[0])
                upper[0] = (char)toupper(upper[0]);
        }
    }
    if (output)
        puts(output);
    return 0;
}
