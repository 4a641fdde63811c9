// Nodes that are unlinked and dropped; some destructor shows that they are to be released.
#include "stubs.h"

struct span { struct span *before, *behind; int low, high; };
struct spans { struct span *first, *last; };

int spans_add(struct spans *spans, int low, int high) {
    struct span *span = malloc(sizeof *span);
    if (!span)
        return 0;
    span->low = low;
    span->high = high;
    span->behind = NULL;
    span->before = spans->last;
    if (spans->last)
        spans->last->behind = span;
    else
        spans->first = span;
    spans->last = span;
    return 1;
}

static void cut_out(struct spans *spans, struct span *span) {
    if (span->before)
        span->before->behind = span->behind;
    else
        spans->first = span->behind;
    if (span->behind)
        span->behind->before = span->before;
    else
        spans->last = span->before;
}

void spans_clear_ok(struct spans *spans) {
    while (spans->first) {
        struct span *span = spans->first;
        cut_out(spans, span);
        free(span);
    }
}

void spans_trim_bad(struct spans *spans, int low) {
    struct span *span = spans->first;
    while (span) {
        struct span *behind = span->behind;
        if (span->high < low)
            cut_out(spans, span);    //~ memory-leak
        span = behind;
    }
}

void spans_trim_ok(struct spans *spans, int low) {
    struct span *span = spans->first;
    while (span) {
        struct span *behind = span->behind;
        if (span->high < low) {
            cut_out(spans, span);
            free(span);
        }
        span = behind;
    }
}

// Moved to the other end.
void spans_rotate_ok(struct spans *spans) {
    struct span *span = spans->first;
    if (!span || !span->behind)
        return;
    cut_out(spans, span);
    span->before = spans->last;
    span->behind = NULL;
    spans->last->behind = span;
    spans->last = span;
}

struct span *spans_take_ok(struct spans *spans, int low) {
    for (struct span *span = spans->first; span; span = span->behind)
        if (span->low == low) {
            cut_out(spans, span);
            return span;
        }
    return NULL;
}

// Singly linked, by the address of the link.
struct peer { struct peer *next; int number; };
static struct peer *peers;

int peer_add(int number) {
    struct peer *peer = malloc(sizeof *peer);
    if (!peer)
        return 0;
    peer->number = number;
    peer->next = peers;
    peers = peer;
    return 1;
}

int peer_remove_ok(int number) {
    for (struct peer **at = &peers; *at; at = &(*at)->next) {
        struct peer *peer = *at;
        if (peer->number == number) {
            *at = peer->next;
            free(peer);
            return 1;
        }
    }
    return 0;
}

int peer_forget_bad(int number) {
    for (struct peer **at = &peers; *at; at = &(*at)->next) {
        struct peer *peer = *at;
        if (peer->number == number) {
            *at = peer->next;    //~ memory-leak
            return 1;
        }
    }
    return 0;
}

// In a list with a sentinel.
struct timer { struct timer *prev, *next; long due; };
struct clock { struct timer *timers; };

int timer_add(struct clock *clock, long due) {
    struct timer *timer = malloc(sizeof *timer);
    if (!timer)
        return 0;
    timer->due = due;
    timer->prev = clock->timers;
    timer->next = clock->timers->next;
    timer->next->prev = timer;
    clock->timers->next = timer;
    return 1;
}

void timers_end_ok(struct clock *clock) {
    while (clock->timers->next != clock->timers) {
        struct timer *timer = clock->timers->next;
        timer->prev->next = timer->next;
        timer->next->prev = timer->prev;
        free(timer);
    }
}

void timers_expire_bad(struct clock *clock, long now) {
    struct timer *timer = clock->timers->next;
    while (timer != clock->timers) {
        struct timer *next = timer->next;
        if (timer->due < now) {
            timer->prev->next = timer->next;    //~ memory-leak
            timer->next->prev = timer->prev;
        }
        timer = next;
    }
}
