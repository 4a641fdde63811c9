// An attempt on a lock that comes after it was given up says nothing of the time before.
#include <pthread.h>

struct queue { pthread_mutex_t lock; int waiting; };
int changed(struct queue *queue);

// The caller holds the lock; it is given up for a while.
int wait_a_while_ok(struct queue *queue) {
    while (changed(queue)) {
        pthread_mutex_unlock(&queue->lock);
        if (pthread_mutex_trylock(&queue->lock) != 0)
            return -1;
    }
    return 0;
}

int given_up_after_attempt_bad(struct queue *queue) {
    if (pthread_mutex_trylock(&queue->lock) != 0)
        queue->waiting++;
    pthread_mutex_unlock(&queue->lock);    //~ double-unlock
    return 0;
}

// A function that tries for some time says by its result whether it has the lock.
static int lock_in_time(pthread_mutex_t *lock, int turns) {
    for (int turn = 0; turn < turns; turn++)
        if (pthread_mutex_trylock(lock) == 0)
            return 0;
    return -1;
}

int result_is_looked_at_ok(struct queue *queue) {
    if (lock_in_time(&queue->lock, 5))
        return -1;
    queue->waiting = 0;
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

int result_makes_no_difference_bad(struct queue *queue) {
    if (lock_in_time(&queue->lock, 5))
        queue->waiting++;
    queue->waiting = 0;
    pthread_mutex_unlock(&queue->lock);    //~ double-unlock
    return 0;
}

// Two locks that may be one: whether they are is asked twice.
struct table { pthread_mutex_t locks[8]; int count; };
unsigned number_of(struct table *table, int key);

static pthread_mutex_t *lock_of(struct table *table, int key) { return &table->locks[number_of(table, key) % 8]; }

void second_lock_if_another_ok(struct table *table, int from, int to) {
    pthread_mutex_t *first = lock_of(table, from);
    pthread_mutex_t *second = lock_of(table, to);
    pthread_mutex_lock(first);
    if (second != first)
        pthread_mutex_lock(second);
    table->count++;
    if (second != first)
        pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

// A callee may unlock through a pointer that nobody knows.
struct operations { void (*wake_and_unlock)(struct queue *queue); };
struct device { struct queue queue; const struct operations *operations; int left; };

static void send_and_unlock(struct device *device) {
    device->left--;
    device->operations->wake_and_unlock(&device->queue);
}

void unlocked_by_pointer_ok(struct device *device) {
    while (device->left) {
        pthread_mutex_lock(&device->queue.lock);
        send_and_unlock(device);
    }
}

static void send(struct device *device) { device->left--; }

void locked_in_every_turn_bad(struct device *device) {
    while (device->left) {
        pthread_mutex_lock(&device->queue.lock);    //~ double-lock
        send(device);
    }
}

// A lock that nobody else knows yet is free.
struct cluster { pthread_mutex_t lock; int length; struct cluster *next; };
extern struct cluster *clusters;
void *calloc(unsigned long count, unsigned long size);

int new_cluster_ok(int length) {
    struct cluster *cluster = calloc(1, sizeof *cluster);
    if (!cluster)
        return -1;
    pthread_mutex_init(&cluster->lock, 0);
    if (pthread_mutex_trylock(&cluster->lock) != 0)
        cluster->length = -1;
    cluster->length = length;
    cluster->next = clusters;
    clusters = cluster;
    return 0;
}

// This one is known.
int known_cluster_bad(struct cluster *cluster, int length) {
    if (pthread_mutex_trylock(&cluster->lock) != 0)    //~ lock-leak
        cluster->length = -1;
    cluster->length = length;
    return 0;
}
