// Functions whose job is to lock or to unlock: silent themselves, understood by their callers.
#include "stubs.h"

struct table {
    pthread_mutex_t mutex;
    pthread_rwlock_t rows;
    int used;
};

static pthread_mutex_t big_lock;

void table_lock_ok(struct table *table) { pthread_mutex_lock(&table->mutex); }
void table_unlock_ok(struct table *table) { pthread_mutex_unlock(&table->mutex); }
bool table_try_ok(struct table *table) { return pthread_mutex_trylock(&table->mutex) == 0; }
void big_lock_enter_ok(void) { pthread_mutex_lock(&big_lock); }
void big_lock_leave_ok(void) { pthread_mutex_unlock(&big_lock); }

void table_lock_all_ok(struct table *table) {
    table_lock_ok(table);
    pthread_rwlock_wrlock(&table->rows);
}

void table_unlock_all_ok(struct table *table) {
    pthread_rwlock_unlock(&table->rows);
    table_unlock_ok(table);
}

void pair_of_wrappers_ok(struct table *table) {
    big_lock_enter_ok();
    table_lock_all_ok(table);
    table->used++;
    table_unlock_all_ok(table);
    big_lock_leave_ok();
}

int trylock_wrapper_ok(struct table *table) {
    if (!table_try_ok(table))
        return -1;
    table->used++;
    table_unlock_ok(table);
    return 0;
}

void wrapper_twice_bad(struct table *table) {
    table_lock_ok(table);
    table_lock_ok(table);    //~ double-lock
    table->used++;
    table_unlock_ok(table);
}

int wrapper_without_its_partner_bad(struct table *table) {
    big_lock_enter_ok();    //~ lock-leak
    if (table->used > 10)
        return 0;
    table->used++;
    big_lock_leave_ok();
    return 0;
}
