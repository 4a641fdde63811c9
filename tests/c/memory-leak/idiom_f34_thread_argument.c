// The argument of a thread belongs to the thread, if there is one.
#include "stubs.h"

struct task {
    int number;
    int result;
};

static void *run_and_free(void *argument) {
    struct task *task = argument;
    printf("%d\n", task->number);
    free(task);
    return NULL;
}

static void *run(void *argument) {
    struct task *task = argument;
    task->result = task->number + 1;
    return NULL;
}

static struct task *task_new(int number) {
    struct task *task = malloc(sizeof *task);
    if (!task)
        return NULL;
    task->number = number;
    task->result = 0;
    return task;
}

int thread_frees_it_ok(int number) {
    pthread_t thread;
    struct task *task = task_new(number);
    if (!task)
        return -1;
    if (pthread_create(&thread, NULL, run_and_free, task) != 0) {
        free(task);
        return -1;
    }
    pthread_detach(thread);
    return 0;
}

int creator_frees_after_join_ok(int number) {
    pthread_t thread;
    struct task *task = task_new(number);
    if (!task)
        return -1;
    int error = pthread_create(&thread, NULL, run, task);
    if (error) {
        free(task);
        return -error;
    }
    pthread_join(thread, NULL);
    int result = task->result;
    free(task);
    return result;
}

int thread_with_attributes_ok(int number) {
    pthread_t thread;
    pthread_attr_t attributes;
    struct task *task = task_new(number);
    if (!task)
        return -1;
    if (pthread_attr_init(&attributes) != 0) {
        free(task);
        return -1;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, run_and_free, task);
    pthread_attr_destroy(&attributes);
    if (error != 0)
        free(task);
    return error;
}

int creation_fails_bad(int number) {
    pthread_t thread;
    struct task *task = task_new(number);    //~ memory-leak "task"
    if (!task)
        return -1;
    if (pthread_create(&thread, NULL, run_and_free, task) != 0)
        return -1;
    pthread_detach(thread);
    return 0;
}

int creation_not_reached_bad(int number, int limit) {
    pthread_t thread;
    struct task *task = task_new(number);    //~ memory-leak "task"
    if (!task)
        return -1;
    if (number > limit)
        return -1;
    if (pthread_create(&thread, NULL, run_and_free, task) != 0) {
        free(task);
        return -1;
    }
    return pthread_detach(thread);
}

int creation_fails_through_variable_bad(int number) {
    pthread_t thread;
    struct task *task = task_new(number);    //~ memory-leak "task"
    if (!task)
        return -1;
    int error = pthread_create(&thread, NULL, run_and_free, task);
    if (error == 0)
        error = pthread_detach(thread);
    return error;
}
