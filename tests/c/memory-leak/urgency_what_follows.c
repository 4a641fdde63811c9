// What a program still does when it has lost something: nothing but to end, or its work.
#include "stubs.h"

static void settings_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    //~^ urgency ordinary
    if (copy)
        printf("%s\n", copy);
}

static int prepare_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    //~^ urgency process-ending
    if (!copy || copy[0] == '-')
        return -1;
    free(copy);
    return 0;
}

static int prepare_all(const char *name) {
    int result = prepare_bad(name);
    if (result < 0)
        return result;
    return 0;
}

static int each_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    //~^ urgency ordinary
    return copy && copy[0] == '-';
}

static void report_bad(int lines) {
    char *text = malloc(32); //~ memory-leak "text"
    //~^ urgency process-ending
    int at;
    if (!text)
        return;
    for (at = 0; at < lines && at < 31; at++)
        text[at] = '*';
    text[at] = 0;
    printf("%s\n", text);
}

static void forever(void) __attribute__((noreturn));
static void forever(void) {
    char request[80];
    for (;;)
        if (read(0, request, sizeof request) < 0)
            exit(1);
}

static void before_serving_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    //~^ urgency ordinary
    if (copy)
        printf("%s\n", copy);
}

int main(int argc, char **argv) {
    char line[80];
    int lines = 0, at;
    settings_bad(argv[0]);
    if (argc > 2 && prepare_all(argv[1]) != 0) {
        fprintf(stderr, "cannot prepare\n");
        exit(2);
    }
    for (at = 1; at < argc; at++)
        each_bad(argv[at]);
    while (fgets(line, sizeof line, stdin))
        lines++;
    if (lines == 0) {
        before_serving_bad(argv[0]);
        forever();
    }
    report_bad(lines);
    return 0;
}
