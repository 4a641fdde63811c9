// The wrong lock is unlocked, a lock of a static that nobody unlocks, and a lock that is kept by `continue`.
#include "stubs.h"

struct pair {
    pthread_mutex_t left;
    pthread_mutex_t right;
    int moved;
};

void both_unlocked_ok(struct pair *pair) {
    pthread_mutex_lock(&pair->left);
    pthread_mutex_lock(&pair->right);
    pair->moved++;
    pthread_mutex_unlock(&pair->left);
    pthread_mutex_unlock(&pair->right);
}

void wrong_one_unlocked_bad(struct pair *pair) {
    pthread_mutex_lock(&pair->left);
    pair->moved++;
    pthread_mutex_unlock(&pair->left);
    pthread_mutex_lock(&pair->right);
    pair->moved++;
    pthread_mutex_unlock(&pair->left);    //~ double-unlock
}

int wrong_one_on_failure_bad(struct pair *pair, int limit) {
    pthread_mutex_lock(&pair->right);    //~ lock-leak
    if (pair->moved > limit) {
        pthread_mutex_unlock(&pair->left);
        return -1;
    }
    pair->moved++;
    pthread_mutex_unlock(&pair->right);
    return 0;
}

int counted_bad(int amount) {
    static pthread_mutex_t own;
    static int total;
    pthread_mutex_lock(&own);    //~ lock-leak
    total += amount;
    return total;
}

static pthread_mutex_t shared;

void begin_ok(void) { pthread_mutex_lock(&shared); }
void end_ok(void) { pthread_mutex_unlock(&shared); }

int same_lock_again_bad(struct pair *pairs, int count, pthread_mutex_t *mutex) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        pthread_mutex_lock(mutex);    //~ lock-leak
        if (pairs[i].moved < 0)
            continue;
        sum += pairs[i].moved;
        pthread_mutex_unlock(mutex);
    }
    return sum;
}

int failed_lock_is_looked_at_ok(struct pair *pair) {
    if (pthread_mutex_lock(&pair->left) != 0)
        return -1;
    pair->moved++;
    pthread_mutex_unlock(&pair->left);
    return 0;
}

int left_on_failure_bad(struct pair *pair, int limit) {
    pthread_mutex_lock(&pair->left);    //~ lock-leak
    if (pair->moved > limit)
        return -1;
    pthread_mutex_unlock(&pair->left);
    return 0;
}
