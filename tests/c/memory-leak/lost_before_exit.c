// A program that ends with exit(0) has lost what it lost before; one that fails may leave things as they are.
#include "stubs.h"

int main(int argc, char **argv) {
    char *line = malloc(80);
    if (!line)
        exit(1);
    for (int i = 1; i < argc; i++) {
        char *copy = strdup(argv[i]);    //~ memory-leak "copy"
        if (copy)
            puts(copy);
    }
    line = realloc(line, 160);
    if (!line)
        exit(1);
    puts(line);
    exit(0);
}
