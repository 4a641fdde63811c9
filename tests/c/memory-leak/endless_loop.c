// Loops that never end lose what nothing refers to when an iteration is over.
#include "stubs.h"

struct request {
    char *body;
    struct request *next;
};

int next_number(void);
struct request *queue;

static char *make_text(void) {
    return malloc(32);
}

void skips_release_bad(void) {
    for (;;) {
        char *text = make_text();    //~ memory-leak "text"
        if (next_number())
            continue;    //~ note "the next iteration begins here, and `text` has not been freed: it leaks"
        free(text);
    }
}

void released_both_ways_ok(void) {
    for (;;) {
        char *text = make_text();
        if (next_number()) {
            free(text);
            continue;
        }
        free(text);
    }
}

void dropped_with_its_owner_bad(void) {
    for (;;) {
        struct request *request = malloc(sizeof *request);
        if (!request)
            continue;
        request->body = make_text();    //~ memory-leak "request->body"
        free(request);
    }
}

void put_into_queue_ok(void) {
    for (;;) {
        struct request *request = malloc(sizeof *request);
        if (!request)
            continue;
        request->body = make_text();
        request->next = queue;
        queue = request;
    }
}

// One block is always held, from one iteration to the next.
void one_ahead_ok(void) {
    char *ahead = make_text();
    for (;;) {
        char *now = ahead;
        ahead = make_text();
        if (now && next_number())
            now[0] = 'x';
        free(now);
    }
}

void one_ahead_bad(void) {
    char *ahead = make_text();
    for (;;) {
        char *now = ahead;
        ahead = make_text();    //~ memory-leak "ahead"
        if (next_number())
            continue;
        free(now);
    }
}

// What was acquired before the loop stays with its variable.
void settings_ok(void) {
    char *settings = make_text();
    if (settings)
        settings[0] = (char)next_number();
    while (1)
        next_number();
}
