// What is left of the command line goes to a command, and what that returns is the status of the process. What a command holds when it returns goes with the
// process, like what `main` holds; what it loses again and again does not.
#include "stubs.h"

int list_ok(int argc, char **argv);
int count_bad(int argc, char **argv);
int show_ok(char **argv);
int size_bad(const char *name);

struct command {
    const char *name;
    int (*run)(int, char **);
};

static const struct command commands[] = {{"list", list_ok}, {"count", count_bad}};

static int run(int argc, char **argv) {
    for (int i = 0; i < 2; i++)
        if (strcmp(commands[i].name, argv[0]) == 0)
            exit(commands[i].run(argc, argv));
    return 1;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return show_ok(argv + 1);
    while (size_bad(argv[1]) > 3)
        ;
    return run(argc - 1, argv + 1);
}
