//@ flags: --rules all
// main returns with all released. That it exits before in a loop, and that another function exits with main's memory
// alive, are no leaks; what was lost before is one all the same.
#include "stubs.h"

static void finish(int status) {
    if (status > 1)
        exit(0);
}

int main(int argc, char **argv) {
    char *text = strdup(argv[0]);
    char *overwritten = strdup(argv[0]);    //~ memory-leak "overwritten"
    overwritten = NULL;
    for (int i = 0; i < argc; i++)
        if (argv[i][0] == '-')
            exit(0);
    finish(argc);
    free(text);
    return overwritten != NULL;
}
