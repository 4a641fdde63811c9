// Locks at indices that are not known, in elements of lists, and in functions that call themselves.
#include "stubs.h"

struct slot {
    int used;
    pthread_mutex_t lock;
};

struct link {
    int key;
    struct link *next;
    pthread_mutex_t lock;
};

static struct slot table[32];
static pthread_mutex_t gates[8];
static pthread_mutex_t tree_lock;
int ask(void);

int take_slot_bad(unsigned hash) {
    struct slot *slot = &table[hash % 32];
    pthread_mutex_lock(&slot->lock); //~ lock-leak
    if (slot->used)
        return -1;
    slot->used = 1;
    pthread_mutex_unlock(&slot->lock);
    return 0;
}

int take_slot_ok(unsigned hash) {
    struct slot *slot = &table[hash % 32];
    pthread_mutex_lock(&slot->lock);
    if (slot->used) {
        pthread_mutex_unlock(&slot->lock);
        return -1;
    }
    slot->used = 1;
    pthread_mutex_unlock(&slot->lock);
    return 0;
}

void pass_gate_bad(int gate) {
    pthread_mutex_lock(&gates[gate]);
    if (ask())
        pthread_mutex_lock(&gates[gate]); //~ double-lock
    pthread_mutex_unlock(&gates[gate]);
}

void pass_gates_ok(int first, int second) {
    pthread_mutex_lock(&gates[first]);
    if (first != second)
        pthread_mutex_lock(&gates[second]);
    ask();
    if (first != second)
        pthread_mutex_unlock(&gates[second]);
    pthread_mutex_unlock(&gates[first]);
}

void leave_gate_bad(int gate) {
    pthread_mutex_lock(&gates[gate]);
    ask();
    pthread_mutex_unlock(&gates[gate]);
    if (ask())
        pthread_mutex_unlock(&gates[gate]); //~ double-unlock
}

int search_bad(struct link *link, int key) {
    while (link) {
        pthread_mutex_lock(&link->lock); //~ lock-leak
        if (link->key > key)
            return -1;
        if (link->key == key) {
            pthread_mutex_unlock(&link->lock);
            return 0;
        }
        pthread_mutex_unlock(&link->lock);
        link = link->next;
    }
    return -1;
}

int search_ok(struct link *link, int key) {
    while (link) {
        pthread_mutex_lock(&link->lock);
        if (link->key == key) {
            pthread_mutex_unlock(&link->lock);
            return 0;
        }
        pthread_mutex_unlock(&link->lock);
        link = link->next;
    }
    return -1;
}

static int counted;

// The inner call waits for the lock that the outer one holds.
void count_down_bad(int depth) {
    pthread_mutex_lock(&tree_lock);
    counted++;
    if (depth > 0)
        count_down_bad(depth - 1); //~ double-lock
    pthread_mutex_unlock(&tree_lock);
}

void count_down_ok(int depth) {
    pthread_mutex_lock(&tree_lock);
    counted++;
    pthread_mutex_unlock(&tree_lock);
    if (depth > 0)
        count_down_ok(depth - 1);
}
