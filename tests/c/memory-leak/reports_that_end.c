// Reports of errors that end the process for one argument and come back for another. They allocate, and allocation
// reports errors, so they are part of a recursion.
#include "stubs.h"

struct line {
    char *text;
};

static char *prefix;
static int recovering;
static jmp_buf top;
static void fatal(const char *text);

static void *need(size_t size) {
    void *memory = malloc(size);
    if (!memory)
        fatal("out of memory");
    return memory;
}

static void leave(int status) {
    if (recovering)
        longjmp(top, 1);
    exit(status);
}

static void report(bool ends, const char *text) {
    static bool first = true;
    if (first) {
        first = false;
        prefix = need(16);
        strcpy(prefix, "error");
    }
    fprintf(stderr, "%s: %s\n", prefix, text);
    if (ends)
        leave(1);
}

static void fatal(const char *text) {
    report(true, text);
}

static void warning(const char *text) {
    report(false, text);
}

// The block moves or the process ends.
void grown_ok(struct line *line, size_t size) {
    line->text = realloc(line->text, size);
    if (!line->text)
        fatal("cannot grow");
}

int opened_ok(const char *name) {
    int fd = open(name, O_RDONLY);
    if (fd < 0)
        fatal(name);
    char byte;
    if (read(fd, &byte, 1) != 1) {
        close(fd);
        fatal("too short");
    }
    close(fd);
    return byte;
}

// Whether anyone waits for the jump is not known here: nothing is told with confidence.
void two_needed_ok(char **first, char **second) {
    char *one = need(8);
    char *other = need(8);
    *first = one;
    *second = other;
}

// A warning comes back.
int warned_bad(const char *name) {
    FILE *file = fopen(name, "r"); //~ resource-leak
    if (!file)
        fatal(name);
    if (fgetc(file) == EOF) {
        warning("empty");
        return -1;
    }
    fclose(file);
    return 0;
}

void warned_and_grown_bad(struct line *line, size_t size) {
    line->text = realloc(line->text, size); //~ realloc-lost
    if (!line->text)
        warning("cannot grow");
}
