// Commands in a table, one of which the process runs before it ends; and handlers in another one, which it runs again and again.
#include "stubs.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
};

static int show_bad(int argc, char **argv) {
    char *copy = strdup(argv[argc - 1]); //~ memory-leak "copy"
    //~^ urgency process-ending
    if (!copy)
        return 1;
    printf("%s\n", copy);
    return 0;
}

static int count_bad(int argc, char **argv) {
    FILE *input = fopen(argv[1], "r"); //~ resource-leak "input"
    //~^ urgency process-ending
    char line[80];
    int lines = 0;
    if (!input)
        return 1;
    while (fgets(line, sizeof line, input))
        lines++;
    printf("%d\n", lines + argc);
    return 0;
}

static int answer_bad(int argc, char **argv) {
    char *copy = strdup(argv[0]); //~ memory-leak "copy"
    //~^ urgency ordinary
    if (!copy)
        return 1;
    return copy[0] == argc;
}

static const struct command commands[] = {{"show", show_bad}, {"count", count_bad}};
static const struct command handlers[] = {{"answer", answer_bad}};

static void serve(int fd) {
    char request[80];
    char *words[2] = {request, 0};
    while (read(fd, request, sizeof request) > 0)
        handlers[request[0] & 0].run(1, words);
}

int main(int argc, char **argv) {
    size_t at;
    if (argc < 2)
        return 2;
    for (at = 0; at < sizeof commands / sizeof commands[0]; at++)
        if (strcmp(commands[at].name, argv[1]) == 0)
            exit(commands[at].run(argc - 1, argv + 1));
    serve(0);
    return 0;
}
