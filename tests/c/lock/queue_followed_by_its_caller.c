// A function that locks, waits and unlocks, and puts what it gets where its caller finds it again: its caller knows that the lock
// is as it was.
#include "stubs.h"

struct ring {
    int size, taken, put;
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    void **slots;
};

struct job {
    int number;
    char *name;
};

static struct ring *jobs;

static void ring_put(struct ring *ring, void *thing) {
    int next;
    pthread_mutex_lock(&ring->lock);
    while ((next = (ring->put + 1) % ring->size) == ring->taken)
        pthread_cond_wait(&ring->emptied, &ring->lock);
    ring->slots[ring->put] = thing;
    ring->put = next;
    pthread_cond_signal(&ring->filled);
    pthread_mutex_unlock(&ring->lock);
}

// Forgets to unlock when it has nothing to wait for.
static void ring_put_bad(struct ring *ring, void *thing) {
    pthread_mutex_lock(&ring->lock);    //~ lock-leak
    ring->slots[ring->put] = thing;
    ring->put = (ring->put + 1) % ring->size;
    if (ring->put == ring->taken)
        return;
    pthread_mutex_unlock(&ring->lock);
}

int job_queue_ok(const char *name) {
    struct job *job = malloc(sizeof *job);
    if (!job)
        return -1;
    job->number = 1;
    job->name = strdup(name);
    ring_put(jobs, job);
    return 0;
}

int job_hand_over(const char *name) {
    struct job *job = malloc(sizeof *job);
    if (!job)
        return -1;
    job->number = 2;
    job->name = strdup(name);
    ring_put_bad(jobs, job);
    return 0;
}
