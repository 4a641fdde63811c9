//@ flags: --rules all
// Shipped properties besides locks: streams that are closed, threads that are joined, privileges that are given up.
#include "stubs.h"

int joined_once_ok(void *(*start)(void *)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, start, NULL) != 0)
        return -1;
    return pthread_join(thread, NULL);
}

void joined_twice_bad(pthread_t thread) {
    pthread_join(thread, NULL);
    pthread_join(thread, NULL);    //~ double-join
}

void detached_and_joined_bad(pthread_t thread) {
    pthread_detach(thread);
    pthread_join(thread, NULL);    //~ double-join
}
