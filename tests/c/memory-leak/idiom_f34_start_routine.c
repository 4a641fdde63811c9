// A thread gets its own copy of its arguments.
#include "stubs.h"

struct job { int number; char name[16]; };

static void *work(void *argument) {
    struct job job = *(struct job *)argument;
    free(argument);
    printf("%d %s\n", job.number, job.name);
    return NULL;
}

int started_ok(int number) {
    pthread_t thread;
    struct job *job = malloc(sizeof *job);
    if (!job)
        return -1;
    *job = (struct job){ .number = number, .name = "job" };
    int error = pthread_create(&thread, NULL, work, job);
    if (error)
        free(job);
    return error;
}

int not_started_bad(int number) {
    pthread_t thread;
    struct job *job = malloc(sizeof *job);    //~ memory-leak "job"
    if (!job)
        return -1;
    *job = (struct job){ .number = number, .name = "job" };
    return pthread_create(&thread, NULL, work, job);
}
