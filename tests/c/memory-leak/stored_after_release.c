// What is stored where something was released is stored elsewhere in truth: the two names are never the same there.
#include "stubs.h"

struct line {
    struct line *next, *prev;
    char *text;
    int number;
};

extern struct line *first, *last;

static void unlink_line(struct line *line) {
    if (line->prev != NULL)
        line->prev->next = line->next;
    if (line->next != NULL)
        line->next->prev = line->prev;
    free(line->text);
    free(line);
}

static struct line *find(struct line *from, const char *text) {
    for (; from != NULL; from = from->prev)
        if (strcmp(from->text, text) == 0)
            return from;
    return NULL;
}

// The last line is empty and never found.
void remember_ok(struct line **bottom, const char *text) {
    struct line *same = find(*bottom, text);
    if (same != NULL)
        unlink_line(same);
    (*bottom)->text = strdup(text);
}

static void drop(char **row) { free(row); }

// Here they are the same in any case.
void misuse_bad(char ***table) {
    char **row = *table;
    drop(row);
    *row = malloc(8);    //~ memory-leak
    //~^ use-after-release "row"
}

void forget_bad(struct line **bottom, const char *text) {
    (*bottom)->text = strdup(text);    //~ memory-leak
    free(*bottom);
    *bottom = NULL;
}
