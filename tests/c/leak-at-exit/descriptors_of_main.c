//@ flags: --rules all
// A descriptor in a variable of main is held until the process ends, like a block; one that was overwritten is lost.
#include "stubs.h"

int main(int argc, char **argv) {
    int log = open("log", O_RDONLY);    //~ leak-at-exit "log"
    int input = -1;
    if (log < 0)
        return 1;
    for (int i = 1; i < argc; i++) {
        input = open(argv[i], O_RDONLY);    //~ resource-leak "input"
        if (input < 0)
            return 2;
        char byte;
        if (read(input, &byte, 1) != 1)
            return 3;
    }
    return 0;
}
