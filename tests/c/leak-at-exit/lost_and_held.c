//@ flags: --rules all
// What is lost while main runs is a memory leak; what it still holds at the end is not.
#include "stubs.h"

int main(int argc, char **argv) {
    char *held = strdup(argv[0]);    //~ leak-at-exit "held"
    if (!held)
        return 1;
    char *lost = malloc(16);    //~ memory-leak "lost"
    lost = NULL;
    char *last = NULL;
    for (int i = 1; i < argc; i++) {
        last = strdup(argv[i]);    //~ memory-leak "last"
        if (!last)
            break;
        puts(last);
    }
    free(last);
    puts(held);
    return lost != NULL;
}
