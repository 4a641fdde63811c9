// Elements of arrays own what is put there, whether a function of the program releases it or not. To show them to somebody is not to give them away.
#include "stubs.h"

// An array that a member holds, filled under another name.
struct names { char **at; int count; char *title; };

int names_add(struct names *names, const char *name) {
    char **at = realloc(names->at, (names->count + 1) * sizeof *at);
    if (!at)
        return -1;
    names->at = at;
    at[names->count] = strdup(name);
    if (!at[names->count])
        return -1;
    names->count++;
    return 0;
}

int names_call(struct names *names, const char *title) {
    char *copy = strdup(title);
    if (!copy)
        return -1;
    free(names->title);
    names->title = copy;
    return 0;
}

const char *names_get_ok(struct names *names, int i) {
    return names->at[i];
}

void names_end_bad(struct names *names) {
    free(names->at);    //~ memory-leak "names->at[i]"
    free(names->title);
    free(names);
}

// An array of the program, with a getter that only shows.
static char *labels[8];

void label_set_bad(int i, const char *label) {
    if (labels[i])
        labels[i][0] = 0;
    labels[i] = strdup(label);    //~ memory-leak "labels[i]"
}

void label_set_ok(int i, const char *label) {
    free(labels[i]);
    labels[i] = strdup(label);
}

const char *label_get_ok(int i) {
    return labels[i];
}

// Another element each time.
static char *lines[8];
static int used;

int line_add_ok(const char *line) {
    if (used > 0 && lines[used - 1])
        lines[used - 1][0] = 0;
    if (used == 8)
        return -1;
    lines[used++] = strdup(line);
    return 0;
}

void lines_end_ok(void) {
    while (used > 0)
        free(lines[--used]);
}

// A variable whose contents are shown as text that must not be changed.
static char *last;

void last_set_bad(const char *text) {
    if (last)
        last[0] = 0;
    last = strdup(text);    //~ memory-leak "last"
}

const char *last_get_ok(void) {
    return last;
}

// What others empty one by one may be empty by the end.
struct slots { char **at; int count; char *title; };

int slots_make(struct slots *slots, int count) {
    slots->at = calloc(count, sizeof *slots->at);
    slots->title = strdup("slots");
    slots->count = count;
    return slots->at && slots->title ? 0 : -1;
}

int slot_open(struct slots *slots, int i) {
    char *text = malloc(16);
    if (!text)
        return -1;
    slots->at[i] = text;
    return 0;
}

void slot_close(struct slots *slots, int i) {
    free(slots->at[i]);
    slots->at[i] = NULL;
}

void slots_end_ok(struct slots *slots) {
    free(slots->at);
    free(slots->title);
    free(slots);
}
