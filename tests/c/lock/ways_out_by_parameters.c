// A parameter decides which way out a function takes. Who passes what is rejected gets an error, not a lock.
#include "stubs.h"

struct desk {
    pthread_mutex_t lock;
    int papers, limit;
};

// A number that is out of range.
int add_papers_bad(struct desk *desk, unsigned count) {
    pthread_mutex_lock(&desk->lock); //~ lock-leak
    if (count > 1000)
        return -1;
    desk->papers += count;
    pthread_mutex_unlock(&desk->lock);
    return 0;
}

int add_papers_ok(struct desk *desk, unsigned count) {
    if (count > 1000)
        return -1;
    pthread_mutex_lock(&desk->lock);
    desk->papers += count;
    pthread_mutex_unlock(&desk->lock);
    return 0;
}

// One of several kinds, in a switch.
int change_bad(struct desk *desk, int how) {
    int error = 0;
    pthread_mutex_lock(&desk->lock); //~ lock-leak
    switch (how) {
    case 1:
        desk->papers++;
        break;
    case 2:
        desk->papers--;
        break;
    default:
        return -22;
    }
    pthread_mutex_unlock(&desk->lock);
    return error;
}

int change_ok(struct desk *desk, int how) {
    int error = 0;
    pthread_mutex_lock(&desk->lock);
    switch (how) {
    case 1:
        desk->papers++;
        break;
    case 2:
        desk->papers--;
        break;
    default:
        error = -22;
    }
    pthread_mutex_unlock(&desk->lock);
    return error;
}

// A pointer that must not be null; failure is NULL.
int *paper_count_bad(struct desk *desk, const char *name) {
    pthread_mutex_lock(&desk->lock); //~ lock-leak
    if (name == NULL)
        return NULL;
    desk->papers++;
    pthread_mutex_unlock(&desk->lock);
    return &desk->limit;
}

int *paper_count_ok(struct desk *desk, const char *name) {
    pthread_mutex_lock(&desk->lock);
    if (name == NULL) {
        pthread_mutex_unlock(&desk->lock);
        return NULL;
    }
    desk->papers++;
    pthread_mutex_unlock(&desk->lock);
    return &desk->limit;
}

// The caller asks to keep the lock, and knows that it did.
int visit_ok(struct desk *desk, int keep) {
    pthread_mutex_lock(&desk->lock);
    desk->papers++;
    if (!keep)
        pthread_mutex_unlock(&desk->lock);
    return 0;
}

// Two parameters that should have been one.
void sorted_bad(struct desk *desk, int lock, int unlock) {
    if (lock != 0)
        pthread_mutex_lock(&desk->lock); //~ lock-leak
    desk->limit = 3;
    if (unlock != 0)
        pthread_mutex_unlock(&desk->lock);
}

void sorted_ok(struct desk *desk, int locked) {
    if (!locked)
        pthread_mutex_lock(&desk->lock);
    desk->limit = 3;
    if (!locked)
        pthread_mutex_unlock(&desk->lock);
}

// A parameter that must not be null decides nothing about the lock.
void tidied_ok(struct desk *desk, int keep) {
    if (desk == NULL)
        return;
    pthread_mutex_lock(&desk->lock);
    desk->papers = 0;
    if (!keep)
        pthread_mutex_unlock(&desk->lock);
}

// Two bits of one word are two questions.
enum { CALLER_HAS_IT = 1, DO_NOT_WAIT = 2 };

void two_bits_bad(struct desk *desk, unsigned flags) {
    if (!(flags & CALLER_HAS_IT))
        pthread_mutex_lock(&desk->lock); //~ lock-leak
    desk->papers++;
    if (!(flags & DO_NOT_WAIT))
        pthread_mutex_unlock(&desk->lock);
}

void one_bit_ok(struct desk *desk, unsigned flags) {
    if (!(flags & CALLER_HAS_IT))
        pthread_mutex_lock(&desk->lock);
    if (!(flags & DO_NOT_WAIT))
        desk->papers++;
    if (!(flags & CALLER_HAS_IT))
        pthread_mutex_unlock(&desk->lock);
}
