// A loop tries one lock after another.
#include "stubs.h"

struct worker {
    pthread_mutex_t mutex;
    int busy;
    int jobs;
};

int each_turn_balanced_ok(struct worker *workers, int count) {
    int idle = 0;
    for (int i = 0; i < count; i++) {
        if (pthread_mutex_trylock(&workers[i].mutex) != 0)
            continue;
        if (!workers[i].busy)
            idle++;
        pthread_mutex_unlock(&workers[i].mutex);
    }
    return idle;
}

// The worker that is returned is locked; without a worker nothing is locked.
struct worker *found_one_is_locked_ok(struct worker *workers, int count) {
    for (int i = 0; i < count; i++) {
        struct worker *worker = &workers[i];
        if (pthread_mutex_trylock(&worker->mutex) != 0)
            continue;
        if (!worker->busy)
            return worker;
        pthread_mutex_unlock(&worker->mutex);
    }
    return NULL;
}

int one_exit_keeps_it_bad(struct worker *workers, int count) {
    int jobs = 0;
    for (int i = 0; i < count; i++) {
        struct worker *worker = &workers[i];
        if (pthread_mutex_trylock(&worker->mutex) != 0)    //~ lock-leak
            continue;
        jobs += worker->jobs;
        if (jobs > 100)
            break;
        pthread_mutex_unlock(&worker->mutex);
    }
    return jobs;
}

int next_turn_forgets_bad(struct worker *workers, int count) {
    int jobs = 0;
    for (int i = 0; i < count; i++) {
        pthread_mutex_lock(&workers[i].mutex);    //~ lock-leak
        if (workers[i].busy)
            continue;
        jobs += workers[i].jobs;
        pthread_mutex_unlock(&workers[i].mutex);
    }
    return jobs;
}
