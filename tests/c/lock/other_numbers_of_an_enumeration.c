// A parameter of an enumeration type has one of its values, unless the function says what is to be done with other numbers.
#include "stubs.h"

enum request { READ_ALL, READ_ONE, FORGET };

struct store {
    struct mutex lock;
    int value;
};

int default_forgets_bad(struct store *store, enum request request) {
    int result = 0;
    mutex_lock(&store->lock);    //~ lock-leak
    switch (request) {
    case READ_ALL: result = store->value; break;
    case READ_ONE: result = 1; break;
    case FORGET: store->value = 0; break;
    default: return -1;
    }
    mutex_unlock(&store->lock);
    return result;
}

int default_unlocks_ok(struct store *store, enum request request) {
    int result = 0;
    mutex_lock(&store->lock);
    switch (request) {
    case READ_ALL: result = store->value; break;
    case READ_ONE: result = 1; break;
    case FORGET: store->value = 0; break;
    default: mutex_unlock(&store->lock); return -1;
    }
    mutex_unlock(&store->lock);
    return result;
}

// No other number is thought of: what is left after the cases goes on behind them.
int no_default_ok(struct store *store, enum request request) {
    int locked = 0;
    if (request != READ_ONE) {
        mutex_lock(&store->lock);
        locked = 1;
    }
    switch (request) {
    case READ_ALL: store->value++; break;
    case READ_ONE: return 1;
    case FORGET: store->value = 0; break;
    }
    if (locked)
        mutex_unlock(&store->lock);
    return 0;
}

// The default cannot happen, and says so.
int default_aborts_ok(struct store *store, enum request request) {
    mutex_lock(&store->lock);
    switch (request) {
    case READ_ALL: store->value++; break;
    case READ_ONE: break;
    case FORGET: store->value = 0; break;
    default: abort();
    }
    mutex_unlock(&store->lock);
    return 0;
}
