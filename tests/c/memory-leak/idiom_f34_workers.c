// What a thread starts with.
#include "stubs.h"

struct work {
    int from, to;
    long sum;
    char *label;
};

static void *worker(void *argument) {
    struct work *work = argument;
    long sum = 0;
    for (int i = work->from; i < work->to; i++)
        sum += i;
    printf("%s %ld\n", work->label, sum);
    free(work->label);
    free(work);
    return NULL;
}

static void work_free(struct work *work) {
    if (work)
        free(work->label);
    free(work);
}

int start_ok(const char *label, int to) {
    pthread_t thread;
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return -1;
    work->to = to;
    work->label = strdup(label);
    int error = pthread_create(&thread, NULL, worker, work);
    if (error) {
        work_free(work);
        return error;
    }
    pthread_detach(thread);
    return 0;
}

int start_detached_ok(const char *label) {
    pthread_attr_t attributes;
    pthread_t thread;
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return -1;
    work->label = strdup(label);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, worker, work) != 0) {
        work_free(work);
        pthread_attr_destroy(&attributes);
        return -1;
    }
    pthread_attr_destroy(&attributes);
    return 0;
}

int start_fails_bad(int to) {
    pthread_t thread;
    struct work *work = calloc(1, sizeof *work);    //~ memory-leak "work"
    if (!work)
        return -1;
    work->to = to;
    if (pthread_create(&thread, NULL, worker, work)) {
        perror("thread");
        return -1;
    }
    pthread_detach(thread);
    return 0;
}
