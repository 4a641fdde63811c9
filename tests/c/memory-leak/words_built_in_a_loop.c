//@ problems: given-up
// A list of arguments is built by many calls in a loop, and each of them may move it. Conditions pile up; that it is there
// when the function is left takes few of them.
#include "stubs.h"

struct words { char **list; unsigned count, room; };

static void words_add(struct words *w, const char *format, ...) {
    va_list rest;
    char *text;
    unsigned room = w->room;
    va_start(rest, format);
    if (vasprintf(&text, format, rest) == -1)
        exit(1);
    va_end(rest);
    if (!w->list) {
        room = 32;
        w->count = 0;
    } else if (w->count + 2 >= room) {
        room *= 2;
    }
    w->list = realloc(w->list, room * sizeof *w->list);
    if (!w->list)
        exit(1);
    w->room = room;
    w->list[w->count++] = text;
    w->list[w->count] = NULL;
}

static void words_drop(struct words *w) {
    unsigned i;
    if (w->list) {
        for (i = 0; i < w->count; i++)
            free(w->list[i]);
        free(w->list);
        w->count = w->room = 0;
        w->list = NULL;
    }
}

int carry_out(char **list);
int verbose, failures;

void copied_bad(int count, char **names, const char *host, const char *user) {
    struct words words;
    int i;
    memset(&words, 0, sizeof words);
    for (i = 0; i < count; i++) {
        words_drop(&words);
        words_add(&words, "%s", "copy");        //~ memory-leak "`words.list`"
        if (verbose)
            words_add(&words, "-v");
        if (!strchr(names[i], ':'))
            continue;
        if (user) {
            words_add(&words, "-l");
            words_add(&words, "%s", user);
        }
        words_add(&words, "%s", host);
        words_add(&words, "%s:%s", host, names[i]);
        if (carry_out(words.list))
            failures++;
        words_drop(&words);
    }
}

void copied_ok(int count, char **names, const char *host, const char *user) {
    struct words words;
    int i;
    memset(&words, 0, sizeof words);
    for (i = 0; i < count; i++) {
        words_drop(&words);
        words_add(&words, "%s", "copy");
        if (verbose)
            words_add(&words, "-v");
        if (!strchr(names[i], ':'))
            continue;
        if (user) {
            words_add(&words, "-l");
            words_add(&words, "%s", user);
        }
        words_add(&words, "%s", host);
        words_add(&words, "%s:%s", host, names[i]);
        if (carry_out(words.list))
            failures++;
    }
    words_drop(&words);
}
