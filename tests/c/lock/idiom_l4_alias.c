// One lock with two names.
#include "stubs.h"

struct account {
    pthread_mutex_t mutex;
    long balance;
};

struct bank {
    struct account *main_account;
};

static void deposit(struct account *account, long amount) {
    pthread_mutex_lock(&account->mutex);
    account->balance += amount;
    pthread_mutex_unlock(&account->mutex);
}

void locked_and_unlocked_by_two_names_ok(struct account *account) {
    pthread_mutex_t *mutex = &account->mutex;
    pthread_mutex_lock(&account->mutex);
    account->balance++;
    pthread_mutex_unlock(mutex);
}

void through_the_owner_ok(struct bank *bank) {
    struct account *account = bank->main_account;
    pthread_mutex_lock(&bank->main_account->mutex);
    account->balance = 0;
    pthread_mutex_unlock(&account->mutex);
}

void two_different_locks_ok(struct account *from, struct account *to, long amount) {
    pthread_mutex_lock(&from->mutex);
    pthread_mutex_lock(&to->mutex);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->mutex);
    pthread_mutex_unlock(&from->mutex);
}

void locked_by_two_names_bad(struct account *account) {
    pthread_mutex_t *mutex = &account->mutex;
    pthread_mutex_lock(&account->mutex);
    pthread_mutex_lock(mutex);    //~ double-lock
    account->balance++;
    pthread_mutex_unlock(mutex);
}

void locked_again_by_callee_bad(struct account *account) {
    struct account *same = account;
    pthread_mutex_lock(&account->mutex);
    deposit(same, 5);    //~ double-lock
    pthread_mutex_unlock(&account->mutex);
}
