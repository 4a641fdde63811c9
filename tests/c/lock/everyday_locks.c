// Locks as programs use them every day, each right and wrong: chains of elements, arrays of locks, callbacks, attempts, readers and
// writers, waits, one way out for all errors, locks inside members.
#include "stubs.h"

struct node {
    pthread_mutex_t lock;
    struct node *next;
    int value;
};

struct inner {
    pthread_mutex_t lock;
    int count;
};

struct outer {
    int kind;
    struct inner inner;
    struct inner *other;
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct node *head;
    int closed;
    int size;
};

struct cache {
    pthread_rwlock_t lock;
    int hits;
    int size;
};

// Wait until there is something.
struct node *queue_take_ok(struct queue *queue) {
    struct node *node = NULL;
    pthread_mutex_lock(&queue->lock);
    while (queue->head == NULL && !queue->closed)
        pthread_cond_wait(&queue->filled, &queue->lock);
    node = queue->head;
    if (node != NULL)
        queue->head = node->next;
    pthread_mutex_unlock(&queue->lock);
    return node;
}

struct node *queue_take_bad(struct queue *queue) {
    struct node *node = NULL;
    pthread_mutex_lock(&queue->lock); //~ lock-leak
    while (queue->head == NULL) {
        if (queue->closed)
            return NULL;
        pthread_cond_wait(&queue->filled, &queue->lock);
    }
    node = queue->head;
    queue->head = node->next;
    pthread_mutex_unlock(&queue->lock);
    return node;
}

// One way out.
int queue_put_ok(struct queue *queue, int value) {
    struct node *node;
    int result = -1;
    pthread_mutex_lock(&queue->lock);
    if (queue->closed)
        goto out;
    node = malloc(sizeof *node);
    if (node == NULL)
        goto out;
    node->value = value;
    node->next = queue->head;
    queue->head = node;
    pthread_cond_signal(&queue->filled);
    result = 0;
out:
    pthread_mutex_unlock(&queue->lock);
    return result;
}

int queue_put_bad(struct queue *queue, int value) {
    struct node *node;
    pthread_mutex_lock(&queue->lock); //~ lock-leak
    if (queue->closed)
        goto out;
    node = malloc(sizeof *node);
    if (node == NULL)
        return -1;
    node->value = value;
    node->next = queue->head;
    queue->head = node;
    pthread_mutex_unlock(&queue->lock);
    return 0;
out:
    pthread_mutex_unlock(&queue->lock);
    return -2;
}

// The way out unlocks what was not locked.
int queue_drop_bad(struct queue *queue) {
    int result = -1;
    if (queue == NULL)
        goto out;
    if (queue->size == 0)
        goto unlock;
    pthread_mutex_lock(&queue->lock);
    queue->size--;
    result = 0;
    pthread_mutex_unlock(&queue->lock);
unlock:
    pthread_mutex_unlock(&queue->lock); //~ double-unlock
out:
    return result;
}

int queue_drop_ok(struct queue *queue) {
    int result = -1;
    if (queue == NULL)
        goto out;
    pthread_mutex_lock(&queue->lock);
    if (queue->size == 0)
        goto unlock;
    queue->size--;
    result = 0;
unlock:
    pthread_mutex_unlock(&queue->lock);
out:
    return result;
}

// Hand over hand.
int chain_find_ok(struct node *first, int value) {
    struct node *at = first;
    int found;
    pthread_mutex_lock(&at->lock);
    while (at->next != NULL && at->value != value) {
        struct node *next = at->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&at->lock);
        at = next;
    }
    found = at->value == value;
    pthread_mutex_unlock(&at->lock);
    return found;
}

int chain_find_bad(struct node *first, int value) {
    struct node *at = first;
    pthread_mutex_lock(&at->lock);
    while (at->next != NULL) {
        struct node *next;
        if (at->value == value)
            return 1;
        next = at->next;
        pthread_mutex_lock(&next->lock); //~ lock-leak
        pthread_mutex_unlock(&at->lock);
        at = next;
    }
    pthread_mutex_unlock(&at->lock);
    return 0;
}

// An array of locks.
static pthread_mutex_t stripes[8];
static int sums[8];

void stripe_add_ok(unsigned key, int value) {
    pthread_mutex_lock(&stripes[key % 8]);
    sums[key % 8] += value;
    pthread_mutex_unlock(&stripes[key % 8]);
}

void stripe_add_bad(unsigned key, int value) {
    pthread_mutex_lock(&stripes[key % 8]); //~ lock-leak
    if (sums[key % 8] > 1000)
        return;
    sums[key % 8] += value;
    pthread_mutex_unlock(&stripes[key % 8]);
}

void all_stripes_ok(void) {
    int i;
    for (i = 0; i < 8; i++)
        pthread_mutex_lock(&stripes[i]);
    for (i = 0; i < 8; i++)
        sums[i] = 0;
    for (i = 0; i < 8; i++)
        pthread_mutex_unlock(&stripes[i]);
}

// A lock in a member of a member.
void inner_count_ok(struct outer *outer) {
    pthread_mutex_lock(&outer->inner.lock);
    outer->inner.count++;
    pthread_mutex_unlock(&outer->inner.lock);
}

int inner_count_bad(struct outer *outer, int most) {
    pthread_mutex_lock(&outer->inner.lock); //~ lock-leak
    if (outer->inner.count >= most)
        return -1;
    outer->inner.count++;
    pthread_mutex_unlock(&outer->inner.lock);
    return 0;
}

void other_count_ok(struct outer *outer) {
    pthread_mutex_lock(&outer->inner.lock);
    pthread_mutex_lock(&outer->other->lock);
    outer->other->count += outer->inner.count;
    pthread_mutex_unlock(&outer->other->lock);
    pthread_mutex_unlock(&outer->inner.lock);
}

void other_count_bad(struct outer *outer) {
    pthread_mutex_lock(&outer->inner.lock); //~ lock-leak
    pthread_mutex_lock(&outer->other->lock);
    outer->other->count += outer->inner.count;
    if (outer->other->count > 10) {
        pthread_mutex_unlock(&outer->other->lock);
        return;
    }
    pthread_mutex_unlock(&outer->other->lock);
    pthread_mutex_unlock(&outer->inner.lock);
}

static int inner_is_full(struct inner *inner) {
    int full;
    pthread_mutex_lock(&inner->lock);
    full = inner->count > 10;
    pthread_mutex_unlock(&inner->lock);
    return full;
}

int ask_with_lock_bad(struct outer *outer) {
    int full;
    pthread_mutex_lock(&outer->inner.lock);
    full = inner_is_full(&outer->inner); //~ double-lock
    pthread_mutex_unlock(&outer->inner.lock);
    return full;
}

int ask_with_other_lock_ok(struct outer *outer) {
    int full;
    pthread_mutex_lock(&outer->inner.lock);
    full = inner_is_full(outer->other);
    pthread_mutex_unlock(&outer->inner.lock);
    return full;
}

// Attempts.
int try_count_ok(struct inner *inner) {
    if (pthread_mutex_trylock(&inner->lock) != 0)
        return 0;
    inner->count++;
    pthread_mutex_unlock(&inner->lock);
    return 1;
}

int try_count_bad(struct inner *inner) {
    if (pthread_mutex_trylock(&inner->lock) == 0)
        inner->count++;
    pthread_mutex_unlock(&inner->lock); //~ double-unlock
    return 1;
}

int try_or_wait_ok(struct inner *inner) {
    if (pthread_mutex_trylock(&inner->lock) == EBUSY)
        pthread_mutex_lock(&inner->lock);
    inner->count++;
    pthread_mutex_unlock(&inner->lock);
    return 1;
}

int try_both_ok(struct inner *a, struct inner *b) {
    for (;;) {
        pthread_mutex_lock(&a->lock);
        if (pthread_mutex_trylock(&b->lock) == 0)
            break;
        pthread_mutex_unlock(&a->lock);
    }
    a->count += b->count;
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_unlock(&a->lock);
    return 0;
}

int try_both_bad(struct inner *a, struct inner *b) {
    pthread_mutex_lock(&a->lock); //~ lock-leak
    if (pthread_mutex_trylock(&b->lock) != 0)
        return -1;
    a->count += b->count;
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_unlock(&a->lock);
    return 0;
}

// Readers and writers.
int cache_look_ok(struct cache *cache, int key) {
    int found;
    pthread_rwlock_rdlock(&cache->lock);
    found = key < cache->size;
    pthread_rwlock_unlock(&cache->lock);
    return found;
}

int cache_look_bad(struct cache *cache, int key) {
    pthread_rwlock_rdlock(&cache->lock); //~ lock-leak
    if (key < 0)
        return -1;
    if (key >= cache->size) {
        pthread_rwlock_unlock(&cache->lock);
        return 0;
    }
    pthread_rwlock_unlock(&cache->lock);
    return 1;
}

void cache_upgrade_ok(struct cache *cache) {
    pthread_rwlock_rdlock(&cache->lock);
    if (cache->hits > 10) {
        pthread_rwlock_unlock(&cache->lock);
        pthread_rwlock_wrlock(&cache->lock);
        cache->hits = 0;
    }
    pthread_rwlock_unlock(&cache->lock);
}

void cache_upgrade_bad(struct cache *cache) {
    pthread_rwlock_rdlock(&cache->lock);
    if (cache->hits > 10) {
        pthread_rwlock_wrlock(&cache->lock); //~ double-lock
        cache->hits = 0;
    }
    pthread_rwlock_unlock(&cache->lock);
}

// Locking asked for by a parameter.
int count_maybe_locked_ok(struct inner *inner, int locked) {
    int count;
    if (!locked)
        pthread_mutex_lock(&inner->lock);
    count = inner->count;
    if (!locked)
        pthread_mutex_unlock(&inner->lock);
    return count;
}

int count_maybe_locked_bad(struct inner *inner, int locked) {
    int count;
    if (!locked)
        pthread_mutex_lock(&inner->lock); //~ lock-leak
    count = inner->count;
    if (count > 100)
        return count;
    if (!locked)
        pthread_mutex_unlock(&inner->lock);
    return count;
}

int count_from_inside_bad(struct inner *inner) {
    int count;
    pthread_mutex_lock(&inner->lock);
    count = count_maybe_locked_ok(inner, 0); //~ double-lock
    pthread_mutex_unlock(&inner->lock);
    return count;
}

int count_from_inside_ok(struct inner *inner) {
    int count;
    pthread_mutex_lock(&inner->lock);
    count = count_maybe_locked_ok(inner, 1);
    pthread_mutex_unlock(&inner->lock);
    return count;
}

// Callbacks that are called with the lock held.
static void visit_ok(struct queue *queue, void (*see)(struct node *)) {
    struct node *at;
    pthread_mutex_lock(&queue->lock);
    for (at = queue->head; at != NULL; at = at->next)
        see(at);
    pthread_mutex_unlock(&queue->lock);
}

static void reset_value(struct node *node) {
    pthread_mutex_lock(&node->lock);
    node->value = 0;
    pthread_mutex_unlock(&node->lock);
}

void reset_all_ok(struct queue *queue) {
    visit_ok(queue, reset_value);
}

// A switch of which one case forgets.
int by_kind_ok(struct outer *outer) {
    int result = 0;
    pthread_mutex_lock(&outer->inner.lock);
    switch (outer->kind) {
    case 0:
        result = outer->inner.count;
        break;
    case 1:
        pthread_mutex_unlock(&outer->inner.lock);
        return -1;
    default:
        outer->inner.count = 0;
    }
    pthread_mutex_unlock(&outer->inner.lock);
    return result;
}

int by_kind_bad(struct outer *outer) {
    int result = 0;
    pthread_mutex_lock(&outer->inner.lock); //~ lock-leak
    switch (outer->kind) {
    case 0:
        result = outer->inner.count;
        break;
    case 1:
        return -1;
    default:
        outer->inner.count = 0;
    }
    pthread_mutex_unlock(&outer->inner.lock);
    return result;
}

// A loop that goes on with the lock.
int poll_ok(struct queue *queue, int times) {
    int i;
    for (i = 0; i < times; i++) {
        pthread_mutex_lock(&queue->lock);
        if (queue->head == NULL) {
            pthread_mutex_unlock(&queue->lock);
            continue;
        }
        queue->size++;
        pthread_mutex_unlock(&queue->lock);
    }
    return 0;
}

int poll_bad(struct queue *queue, int times) {
    int i;
    for (i = 0; i < times; i++) {
        pthread_mutex_lock(&queue->lock); //~ lock-leak
        if (queue->head == NULL)
            continue;
        queue->size++;
        pthread_mutex_unlock(&queue->lock);
    }
    return 0;
}

// Recursion with the lock held.
static int depth_of(struct outer *outer, int depth) {
    int result;
    pthread_mutex_lock(&outer->inner.lock);
    result = depth > 3 ? depth : outer->kind;
    pthread_mutex_unlock(&outer->inner.lock);
    return result;
}

int depth_ok(struct outer *outer, int depth) {
    int result = depth_of(outer, depth);
    return result > 3 ? result : depth_ok(outer, depth + 1);
}

int depth_bad(struct outer *outer, int depth) {
    int result;
    pthread_mutex_lock(&outer->inner.lock);
    result = depth > 3 ? depth : depth_bad(outer, depth + 1); //~ double-lock
    pthread_mutex_unlock(&outer->inner.lock);
    return result;
}
