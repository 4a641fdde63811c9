// Two locks of the same sort held at once are two locks: giving one back says nothing of the other. And what a wrapper demands
// of a lock holds on all its ways, also on those that leave the lock as it was.
#include "stubs.h"

struct account {
    pthread_mutex_t lock;
    long amount;
};

struct hop {
    struct hop *next;
    pthread_mutex_t lock;
    int key;
};

extern int closed;
static pthread_mutex_t gate;
int ask(void);

int transfer_bad(struct account *from, struct account *to, long amount) {
    pthread_mutex_lock(&from->lock); //~ lock-leak
    pthread_mutex_lock(&to->lock);
    if (from->amount < amount) {
        pthread_mutex_unlock(&to->lock);
        return -1;
    }
    from->amount -= amount;
    to->amount += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
    return 0;
}

int transfer_ok(struct account *from, struct account *to, long amount) {
    int result = -1;
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    if (from->amount >= amount) {
        from->amount -= amount;
        to->amount += amount;
        result = 0;
    }
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
    return result;
}

int hand_over_hand_bad(struct hop *at, int key) {
    pthread_mutex_lock(&at->lock);
    while (at->next) {
        struct hop *next = at->next;
        pthread_mutex_lock(&next->lock); //~ lock-leak
        pthread_mutex_unlock(&at->lock);
        at = next;
        if (at->key == key)
            return 1;
    }
    pthread_mutex_unlock(&at->lock);
    return 0;
}

int hand_over_hand_ok(struct hop *at, int key) {
    int found = 0;
    pthread_mutex_lock(&at->lock);
    while (at->next && !found) {
        struct hop *next = at->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&at->lock);
        at = next;
        found = at->key == key;
    }
    pthread_mutex_unlock(&at->lock);
    return found;
}

static int enter(void) {
    pthread_mutex_lock(&gate);
    if (closed) {
        pthread_mutex_unlock(&gate);
        return 0;
    }
    return 1;
}

int pass_blindly_bad(void) {
    enter();
    int result = ask();
    pthread_mutex_unlock(&gate); //~ double-unlock
    return result;
}

int pass_ok(void) {
    if (!enter())
        return -1;
    int result = ask();
    pthread_mutex_unlock(&gate);
    return result;
}
