// What main still holds when the process ends is given back by the system: silent by
// default, shown by the rule leak-at-exit.
#include "stubs.h"

struct options {
    char *name;
    int verbose;
};

static char *program_name;
static struct options *options;

static struct options *options_parse(int count, char **arguments) {
    struct options *parsed = calloc(1, sizeof *parsed);
    if (!parsed)
        exit(1);
    for (int i = 1; i < count; i++) {
        if (arguments[i][0] == '-')
            parsed->verbose++;
    }
    return parsed;
}

int main(int argc, char **argv) {
    program_name = strdup(argv[0]);
    options = options_parse(argc, argv);
    char *line = malloc(80);
    if (!line)
        return 1;
    struct options *defaults = calloc(1, sizeof *defaults);
    if (!defaults)
        exit(1);
    defaults->name = strdup("default");
    if (options->verbose > 2)
        exit(2);
    snprintf(line, 80, "%d %d", options->verbose, defaults->verbose);
    puts(line);
    return 0;
}
