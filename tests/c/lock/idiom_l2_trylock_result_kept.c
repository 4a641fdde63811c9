// The result of a trylock is kept in a variable and tested again later.
#include "stubs.h"

static pthread_mutex_t statistics;
static int hits;
static int misses;

void tested_twice_ok(void) {
    int error = pthread_mutex_trylock(&statistics);
    if (error == 0)
        hits++;
    else
        misses++;
    if (error == 0)
        pthread_mutex_unlock(&statistics);
}

void kept_as_flag_ok(int wanted) {
    bool locked = false;
    if (wanted)
        locked = pthread_mutex_trylock(&statistics) == 0;
    if (locked) {
        hits++;
        pthread_mutex_unlock(&statistics);
    }
}

int result_returned_ok(void) {
    return pthread_mutex_trylock(&statistics);
}

int kernel_sense_ok(spinlock_t *lock) {
    if (!spin_trylock(lock))
        return -1;
    hits++;
    spin_unlock(lock);
    return 0;
}

void unlocked_after_failure_bad(void) {
    if (pthread_mutex_trylock(&statistics) != 0) {
        misses++;
        pthread_mutex_unlock(&statistics);    //~ double-unlock
        return;
    }
    hits++;
    pthread_mutex_unlock(&statistics);
}

int success_taken_for_failure_bad(void) {
    if (pthread_mutex_trylock(&statistics) == 0)    //~ lock-leak
        return 0;
    misses++;
    return 0;
}
