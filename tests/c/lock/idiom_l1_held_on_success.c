// The lock is held only when the function succeeds, and its result says so.
#include "stubs.h"

struct queue {
    pthread_mutex_t mutex;
    int open;
    int length;
};

static int queue_begin(struct queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    if (!queue->open) {
        pthread_mutex_unlock(&queue->mutex);
        return -1;
    }
    return 0;
}

static struct queue *queue_begin_or_null(struct queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    if (queue->open)
        return queue;
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

int result_tested_ok(struct queue *queue) {
    if (queue_begin(queue) < 0)
        return -1;
    queue->length++;
    pthread_mutex_unlock(&queue->mutex);
    return 0;
}

int result_is_a_pointer_ok(struct queue *queue) {
    struct queue *locked = queue_begin_or_null(queue);
    if (!locked)
        return -1;
    locked->length++;
    pthread_mutex_unlock(&locked->mutex);
    return 0;
}

int passed_on_to_caller_ok(struct queue *queue) {
    int error = queue_begin(queue);
    if (error)
        return error;
    queue->length = 0;
    return 0;
}

void result_ignored_bad(struct queue *queue) {
    queue_begin(queue);
    queue->length++;
    pthread_mutex_unlock(&queue->mutex);    //~ double-unlock
}

int success_forgets_to_unlock_bad(struct queue *queue, int limit) {
    if (queue_begin(queue) < 0)    //~ lock-leak
        return -1;
    if (queue->length > limit)
        return -1;
    queue->length++;
    pthread_mutex_unlock(&queue->mutex);
    return 0;
}
