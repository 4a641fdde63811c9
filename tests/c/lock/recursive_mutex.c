// A mutex that is initialised with attributes may be recursive, wherever that happens; others are not.
#include "stubs.h"

struct queue {
    pthread_mutex_t deep;
    pthread_mutex_t flat;
    int length;
};

static pthread_mutex_t shared;
static pthread_mutex_t plain;
static int users;

void prepare(struct queue *q) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&q->deep, &attributes);
    pthread_mutex_init(&shared, &attributes);
    pthread_mutex_init(&q->flat, NULL);
    pthread_mutexattr_destroy(&attributes);
}

static void count(void) {
    pthread_mutex_lock(&shared);
    users++;
    pthread_mutex_unlock(&shared);
}

void count_again_ok(void) {
    pthread_mutex_lock(&shared);
    count();
    pthread_mutex_unlock(&shared);
}

void member_ok(struct queue *q) {
    pthread_mutex_lock(&q->deep);
    pthread_mutex_lock(&q->deep);
    q->length++;
    pthread_mutex_unlock(&q->deep);
    pthread_mutex_unlock(&q->deep);
}

void member_bad(struct queue *q) {
    pthread_mutex_lock(&q->flat);
    pthread_mutex_lock(&q->flat); //~ double-lock
    q->length++;
    pthread_mutex_unlock(&q->flat);
}

void plain_bad(void) {
    pthread_mutex_lock(&plain);
    pthread_mutex_lock(&plain); //~ double-lock
    users++;
    pthread_mutex_unlock(&plain);
}
