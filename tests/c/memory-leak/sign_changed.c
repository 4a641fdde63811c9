// A number that is computed from the result of a call, step by step, is known as well as the result.
#include "stubs.h"

int next_number(void);
void *work_on(void *);

static int start(pthread_t *thread, char *text) {
    return -pthread_create(thread, 0, work_on, text);
}

int error_number_negated_ok(const char *name) {
    pthread_t thread;
    char *text = strdup(name);
    if (!text)
        return -1;
    int error = start(&thread, text);
    if (error) {
        free(text);
        return error;
    }
    return 0;
}

int error_number_negated_bad(const char *name) {
    pthread_t thread;
    char *text = strdup(name);    //~ memory-leak "text"
    if (!text)
        return -1;
    int error = start(&thread, text);
    if (error < 0)
        return error;
    return 0;
}

// It cannot be positive.
int never_positive_ok(const char *name) {
    pthread_t thread;
    char *text = strdup(name);
    if (!text)
        return -1;
    long error = start(&thread, text);
    if (error > 0)
        return 1;
    if (error < 0)
        free(text);
    return 0;
}

// What is not negated may be.
int is_positive_bad(const char *name) {
    pthread_t thread;
    char *text = strdup(name);    //~ memory-leak "text"
    if (!text)
        return -1;
    long error = pthread_create(&thread, 0, work_on, text);
    if (error > 0)
        return 1;
    return 0;
}
