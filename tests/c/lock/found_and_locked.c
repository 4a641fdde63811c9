// What a look-up finds is locked for the caller. Which of several things it is, and that the first of them may be missing, says nothing about
// whether what was given is locked.
#include "stubs.h"

struct entry {
    int key, value;
    pthread_mutex_t lock;
};

struct link {
    struct entry *what;
    struct link *next;
};

struct chain {
    struct link *head, *tail;
};

static struct chain chain;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

int chain_start(void) {
    chain.head = calloc(1, sizeof *chain.head);
    chain.tail = calloc(1, sizeof *chain.tail);
    if (chain.head == NULL || chain.tail == NULL)
        return -1;
    chain.head->next = chain.tail;
    return 0;
}

static struct entry *entry_of(int key) {
    if (chain.head == NULL || chain.tail == NULL)
        return NULL;
    for (struct link *link = chain.head->next; link != chain.tail; link = link->next)
        if (link->what->key == key)
            return link->what;
    return NULL;
}

static struct entry *locked_entry(int key) {
    pthread_mutex_lock(&table);
    struct entry *entry = entry_of(key);
    if (entry != NULL)
        pthread_mutex_lock(&entry->lock);
    pthread_mutex_unlock(&table);
    return entry;
}

int add_ok(int key, int value) {
    struct entry *entry = locked_entry(key);
    if (entry == NULL)
        return -1;
    entry->value += value;
    pthread_mutex_unlock(&entry->lock);
    return 0;
}

int add_bad(int key, int value) {
    struct entry *entry = locked_entry(key);
    if (entry == NULL)
        return -1;
    entry->value += value;
    pthread_mutex_unlock(&entry->lock);
    if (entry->value < 0)
        pthread_mutex_unlock(&entry->lock); //~ double-unlock "entry->lock"
    return 0;
}
