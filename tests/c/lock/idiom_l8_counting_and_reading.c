// Not every lock is exclusive: semaphores that count, read locks that nest, locks that
// save the interrupt state.
#include "stubs.h"

struct pool {
    sem_t slots;
    struct semaphore credits;
    rwlock_t readers;
    pthread_rwlock_t rows;
    spinlock_t lock;
    int used;
};

void semaphore_counts_twice_ok(struct pool *pool) {
    down(&pool->credits);
    down(&pool->credits);
    pool->used += 2;
    up(&pool->credits);
    up(&pool->credits);
}

void posix_semaphore_counts_ok(struct pool *pool) {
    sem_wait(&pool->slots);
    sem_wait(&pool->slots);
    pool->used++;
    sem_post(&pool->slots);
    sem_post(&pool->slots);
}

void semaphore_signals_another_ok(struct pool *pool) {
    pool->used = 0;
    sem_post(&pool->slots);
}

static int look(struct pool *pool) {
    read_lock(&pool->readers);
    int used = pool->used;
    read_unlock(&pool->readers);
    return used;
}

int nested_read_locks_ok(struct pool *pool) {
    read_lock(&pool->readers);
    int used = look(pool);
    read_unlock(&pool->readers);
    return used;
}

int nested_posix_read_locks_ok(struct pool *pool) {
    pthread_rwlock_rdlock(&pool->rows);
    pthread_rwlock_rdlock(&pool->rows);
    int used = pool->used;
    pthread_rwlock_unlock(&pool->rows);
    pthread_rwlock_unlock(&pool->rows);
    return used;
}

void interrupt_state_saved_ok(struct pool *pool) {
    unsigned long flags;
    spin_lock_irqsave(&pool->lock, flags);
    pool->used++;
    spin_unlock_irqrestore(&pool->lock, flags);
}

void interrupts_disabled_ok(struct pool *pool) {
    spin_lock_irq(&pool->lock);
    pool->used--;
    spin_unlock_irq(&pool->lock);
}

int interrupt_state_saved_bad(struct pool *pool) {
    unsigned long flags;
    spin_lock_irqsave(&pool->lock, flags);    //~ lock-leak
    if (pool->used > 4)
        return 0;
    pool->used++;
    spin_unlock_irqrestore(&pool->lock, flags);
    return 0;
}
