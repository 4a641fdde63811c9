// The situations of the Saturn lock checker: double lock and unlock (type A), a state
// at return that the caller cannot tell (type B), and the classes of false alarms.
#include "stubs.h"

struct card {
    spinlock_t lock;
    int dma_allocated;
    int registers[8];
};

// The three sample summaries: lock, trylock, and a wrapper whose effect depends on a
// flag and is told through an out-parameter.

void simple_wrapper_ok(spinlock_t *lock) { spin_lock(lock); }

int trylock_wrapper_ok(spinlock_t *lock) { return spin_trylock(lock); }

void complex_wrapper_ok(spinlock_t *lock, int flag, int *success) {
    if (flag) {
        *success = spin_trylock(lock);
    } else {
        spin_unlock(lock);
        *success = 1;
    }
}

int caller_of_complex_wrapper_ok(spinlock_t *lock, int *counter) {
    int success;
    complex_wrapper_ok(lock, 1, &success);
    if (!success)
        return -1;
    (*counter)++;
    complex_wrapper_ok(lock, 0, &success);
    return 0;
}

int caller_of_complex_wrapper_bad(spinlock_t *lock, int *counter) {
    int success;
    complex_wrapper_ok(lock, 1, &success);
    (*counter)++;
    complex_wrapper_ok(lock, 0, &success);    //~ double-unlock
    return 0;
}

// Type A across functions: the callee takes the lock that the caller holds.

static void card_write(struct card *card, int number, int value) {
    unsigned long flags;
    spin_lock_irqsave(&card->lock, flags);
    card->registers[number & 7] = value;
    spin_unlock_irqrestore(&card->lock, flags);
}

void card_close_bad(struct card *card) {
    unsigned long flags;
    spin_lock_irqsave(&card->lock, flags);
    if (card->dma_allocated) {
        card_write(card, 2, 0x20);    //~ double-lock
        card->dma_allocated = 0;
    }
    spin_unlock_irqrestore(&card->lock, flags);
}

void card_close_ok(struct card *card) {
    unsigned long flags;
    spin_lock_irqsave(&card->lock, flags);
    int allocated = card->dma_allocated;
    card->dma_allocated = 0;
    spin_unlock_irqrestore(&card->lock, flags);
    if (allocated)
        card_write(card, 2, 0x20);
}

void locked_twice_bad(struct card *card) {
    spin_lock(&card->lock);
    card->dma_allocated = 1;
    spin_lock(&card->lock);    //~ double-lock
    spin_unlock(&card->lock);
}

void unlocked_twice_bad(struct card *card, int quick) {
    spin_lock(&card->lock);
    if (quick)
        spin_unlock(&card->lock);
    card->dma_allocated = 0;
    spin_unlock(&card->lock);    //~ double-unlock
}

// Type B: two ways out with the same result, one of them with the lock held.

struct owner;

struct controller {
    struct semaphore configuration;
    struct owner *owner;
    int probed;
};

int claim_device_bad(struct controller *controller, struct owner *owner) {
    down(&controller->configuration);    //~ lock-leak
    if (controller->owner) {
        up(&controller->configuration);
        return -EBUSY;
    }
    if (controller->probed)
        return -EBUSY;
    controller->owner = owner;
    up(&controller->configuration);
    return 0;
}

int claim_device_ok(struct controller *controller, struct owner *owner) {
    int result = 0;
    down(&controller->configuration);
    if (controller->owner || controller->probed)
        result = -EBUSY;
    else
        controller->owner = owner;
    up(&controller->configuration);
    return result;
}

// Conditions on parameters decide the state.

void locked_by_request_ok(struct card *card, int with_lock) {
    if (with_lock)
        spin_lock(&card->lock);
    card->registers[0] = 1;
    if (with_lock)
        spin_unlock(&card->lock);
}

void both_callers_ok(struct card *card) {
    locked_by_request_ok(card, 1);
    spin_lock(&card->lock);
    locked_by_request_ok(card, 0);
    spin_unlock(&card->lock);
}

void wrong_request_bad(struct card *card) {
    spin_lock(&card->lock);
    locked_by_request_ok(card, 1);    //~ double-lock
    spin_unlock(&card->lock);
}

// A trylock that only asks whether the lock is held.

#define ASSERT_LOCKED(lock) \
    do { \
        if (spin_trylock(lock)) \
            abort(); \
    } while (0)

void trylock_as_assertion_ok(struct card *card) {
    spin_lock(&card->lock);
    ASSERT_LOCKED(&card->lock);
    card->registers[1] = 2;
    spin_unlock(&card->lock);
}

// A lock reached through the heap and unlocked through another path to the same object.

struct link {
    struct link *next;
    struct link *previous;
    spinlock_t lock;
};

void lock_in_the_heap_ok(struct link *link) {
    struct link *next = link->next;
    spin_lock(&link->next->lock);
    spin_unlock(&next->lock);
}

void lock_taken_and_forgotten_by_continue_bad(struct link *links, int count) {
    for (int i = 0; i < count; i++) {
        spin_lock(&links[i].lock);    //~ lock-leak
        if (!links[i].next)
            continue;
        spin_unlock(&links[i].lock);
    }
}
