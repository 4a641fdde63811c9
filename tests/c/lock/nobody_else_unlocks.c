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
