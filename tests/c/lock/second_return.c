// Control comes back to `setjmp` from somewhere behind it: what is locked then is not known there.
//@ flags: --rules all
#include "stubs.h"

struct store {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int count;
};

static jmp_buf broken_off;
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
int next_number(void);
void show(const char *text);

// What a thread does that may be cancelled: the handler runs where a cancellation comes back to the call.
static void store_wait(struct store *store) {
    jmp_buf place;
    void (*handler)(pthread_mutex_t *) = (void (*)(pthread_mutex_t *))pthread_mutex_unlock;
    if (setjmp(place)) {
        handler(&store->lock);
        exit(1);
    }
    pthread_mutex_lock(&store->lock);
    while (store->count == 0)
        pthread_cond_wait(&store->filled, &store->lock);
    store->count--;
    pthread_mutex_unlock(&store->lock);
}

void two_waits_ok(struct store *store) {
    store_wait(store);
    store_wait(store);
}

int unlocked_where_it_came_back_ok(const char *text) {
    if (setjmp(broken_off)) {
        pthread_mutex_unlock(&output);
        return -1;
    }
    pthread_mutex_lock(&output);
    show(text);
    pthread_mutex_unlock(&output);
    return 0;
}

void before_the_jump_is_prepared_bad(void) {
    pthread_mutex_unlock(&output);
    if (setjmp(broken_off)) {
        pthread_mutex_unlock(&output);
        return;
    }
    pthread_mutex_unlock(&output);    //~ double-unlock
}

int forgotten_on_the_way_on_bad(const char *text) {
    pthread_mutex_lock(&output);    //~ lock-leak
    if (setjmp(broken_off)) {
        pthread_mutex_unlock(&output);
        return -1;
    }
    if (next_number() < 0)
        return -2;
    show(text);
    pthread_mutex_unlock(&output);
    return 0;
}
