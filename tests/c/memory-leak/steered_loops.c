// A loop that remembers what the turn before has found: what is lost takes as many turns as there are states, and again.
#include "stubs.h"

enum { START, NAME, VALUE, TEXT };

int next_char(void);
char *next_word(void);

struct entry { char *name, *value; };

int twice_named_bad(struct entry *e) {
    int state = START, c;
    e->name = e->value = NULL;
    while ((c = next_char()) != EOF) {
        switch (state) {
        case START:
            if (c == '[')
                state = NAME;
            break;
        case NAME:
            e->name = strdup("name");    //~ memory-leak "e->name"
            state = c == '=' ? VALUE : START;
            break;
        case VALUE:
            free(e->value);
            e->value = strdup("value");
            state = START;
            break;
        }
    }
    return 0;
}

int twice_named_ok(struct entry *e) {
    int state = START, c;
    e->name = e->value = NULL;
    while ((c = next_char()) != EOF) {
        switch (state) {
        case START:
            if (c == '[')
                state = NAME;
            break;
        case NAME:
            free(e->name);
            e->name = strdup("name");
            state = c == '=' ? VALUE : START;
            break;
        case VALUE:
            free(e->value);
            e->value = strdup("value");
            state = START;
            break;
        }
    }
    return 0;
}

struct reader { int phase; char *text; };

char *phases_bad(struct reader *r) {
    char *held = NULL;
    for (;;) {
        int c = next_char();
        if (c == EOF)
            break;
        if (r->phase == 0) {
            r->phase = c == '<' ? 1 : 0;
        } else if (r->phase == 1) {
            r->phase = c == '!' ? 2 : 0;
        } else {
            held = strdup("comment");    //~ memory-leak "held"
            r->phase = 0;
        }
    }
    return held;
}

char *phases_ok(struct reader *r) {
    char *held = NULL;
    for (;;) {
        int c = next_char();
        if (c == EOF)
            break;
        if (r->phase == 0) {
            r->phase = c == '<' ? 1 : 0;
        } else if (r->phase == 1) {
            r->phase = c == '!' ? 2 : 0;
        } else {
            if (!held)
                held = strdup("comment");
            r->phase = 0;
        }
    }
    return held;
}

int opened_again_bad(const char *path) {
    int fd = -1, mode = 0, c;
    while ((c = next_char()) != EOF) {
        if (mode == 0 && c == 'o')
            mode = 1;
        else if (mode == 1 && c == 'p')
            mode = 2;
        else if (mode == 2)
            fd = open(path, O_RDONLY), mode = 0;    //~ resource-leak "fd"
        else
            mode = 0;
    }
    if (fd >= 0)
        close(fd);
    return 0;
}

int opened_again_ok(const char *path) {
    int fd = -1, mode = 0, c;
    while ((c = next_char()) != EOF) {
        if (mode == 0 && c == 'o')
            mode = 1;
        else if (mode == 1 && c == 'p')
            mode = 2;
        else if (mode == 2) {
            if (fd >= 0)
                close(fd);
            fd = open(path, O_RDONLY);
            mode = 0;
        } else
            mode = 0;
    }
    if (fd >= 0)
        close(fd);
    return 0;
}
