// A lock that a function leaves held is one that another function unlocks. Where every function that unlocks it has locked it before, nobody
// unlocks it for the one that does not.
#include "stubs.h"

static pthread_mutex_t records_lock;
static int records;

void records_add_bad(int more) {
    pthread_mutex_lock(&records_lock);    //~ lock-leak
    records += more;
}

int records_count_ok(void) {
    pthread_mutex_lock(&records_lock);
    int count = records;
    pthread_mutex_unlock(&records_lock);
    return count;
}

static pthread_mutex_t gate;
static int inside;

void gate_enter_ok(void) {
    pthread_mutex_lock(&gate);
    inside++;
}

void gate_leave_ok(void) {
    inside--;
    pthread_mutex_unlock(&gate);
}

int gate_count_ok(void) {
    pthread_mutex_lock(&gate);
    int count = inside;
    pthread_mutex_unlock(&gate);
    return count;
}

// Who calls a function that leaves a lock held inherits the mistake and does not make it again: it is told once, in the function that locks.
static pthread_mutex_t log_lock;
static int lines;

static void log_line_bad(void) {
    pthread_mutex_lock(&log_lock);        //~ lock-leak
    lines++;
}

void log_twice_ok(int again) {
    log_line_bad();
    if (again)
        lines++;
}

// A function that locks what it is given cannot know who else leads to it: it is told in the first caller that does.
struct ring {
    pthread_mutex_t lock;
    int used;
};
static struct ring ring;

static void ring_hold_ok(struct ring *r) {
    pthread_mutex_lock(&r->lock);
    r->used++;
}

void ring_use_bad(void) {
    ring_hold_ok(&ring);                  //~ lock-leak
}

void ring_use_again_ok(void) {
    ring_use_bad();
}
