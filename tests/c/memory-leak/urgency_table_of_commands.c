// Commands in a table, one of which the process runs before it ends; and handlers in another one, which it runs again and again.
#include "stubs.h"

struct command {
    const char *name;
    int (*run)(int number, const char *name);
};

static int show_bad(int number, const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    //~^ urgency process-ending
    if (!copy)
        return 1;
    printf("%s %d\n", copy, number);
    return 0;
}

static int count_bad(int number, const char *name) {
    FILE *input = fopen(name, "r"); //~ resource-leak "input"
    //~^ urgency process-ending
    char line[80];
    int lines = 0;
    if (!input)
        return 1;
    while (fgets(line, sizeof line, input))
        lines++;
    printf("%d\n", lines + number);
    return 0;
}

static int answer_bad(int number, const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    //~^ urgency ordinary
    if (!copy)
        return 1;
    return copy[0] == number;
}

static const struct command commands[] = {{"show", show_bad}, {"count", count_bad}};
static const struct command handlers[] = {{"answer", answer_bad}};

static void serve(int fd) {
    char request[80];
    while (read(fd, request, sizeof request) > 0)
        handlers[request[0] & 0].run(1, request);
}

int main(int argc, char **argv) {
    size_t at;
    if (argc < 3)
        return 2;
    for (at = 0; at < sizeof commands / sizeof commands[0]; at++)
        if (strcmp(commands[at].name, argv[1]) == 0)
            exit(commands[at].run(argc, argv[2]));
    serve(0);
    return 0;
}
