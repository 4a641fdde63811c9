// A function calls, with a lock held, what it was given; what it was given takes the same lock.
#include "stubs.h"

struct box {
    pthread_mutex_t m;
    int n;
};
typedef void (*visitor)(struct box *, void *);

static void with_box(struct box *b, visitor f, void *arg) {
    pthread_mutex_lock(&b->m);
    f(b, arg);
    pthread_mutex_unlock(&b->m);
}
static void after_box(struct box *b, visitor f, void *arg) {
    pthread_mutex_lock(&b->m);
    b->n = 0;
    pthread_mutex_unlock(&b->m);
    f(b, arg);
}
static void hands_on(struct box *b, visitor f) { with_box(b, f, 0); }

static void add(struct box *b, void *arg) {
    pthread_mutex_lock(&b->m);
    b->n++;
    pthread_mutex_unlock(&b->m);
}
static void add_to_other(struct box *b, void *arg) {
    struct box *other = arg;
    pthread_mutex_lock(&other->m);
    other->n += b->n;
    pthread_mutex_unlock(&other->m);
}
static void look(struct box *b, void *arg) { b->n++; }

void takes_it_again_bad(struct box *b) {
    with_box(b, add, 0); //~ double-lock
}
void through_another_function_bad(struct box *b) {
    hands_on(b, add); //~ double-lock
}
void other_is_the_same_bad(struct box *b) {
    with_box(b, add_to_other, b); //~ double-lock
}
void takes_another_ok(struct box *b, struct box *c) { with_box(b, add_to_other, c); }
void takes_none_ok(struct box *b) { with_box(b, look, 0); }
void called_without_the_lock_ok(struct box *b) { after_box(b, add, 0); }
