//@ flags: --rules all
// With the rule switched on, what main still holds when it returns is reported.
#include "stubs.h"

int main(int argc, char **argv) {
    char *line = malloc(80);    //~ leak-at-exit "line"
    if (!line)
        return 1;
    char *copy = strdup(argv[0]);
    if (!copy) {
        free(line);
        return 1;
    }
    snprintf(line, 80, "%d %s", argc, copy);
    puts(line);
    free(copy);
    return 0;
}
