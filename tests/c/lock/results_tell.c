// What a function returns tells whether a lock is held, without being asked everything about it.
#include "stubs.h"

struct entry {
    int key, value;
    struct entry *next;
};

struct table {
    int ready;
    struct mutex lock;
    struct entry *first;
    struct entry **slots;
};

struct entry *search(struct entry *first, int key);
int number_for(struct entry *entry);
long sleep_for(long time);
int enabled(void);

// Found: locked. NULL is returned by name elsewhere.
struct entry *found_and_locked_ok(struct table *table, int key) {
    struct entry *entry;
    if (!table->ready)
        return NULL;
    mutex_lock(&table->lock);
    entry = search(table->first, key);
    if (!entry)
        mutex_unlock(&table->lock);
    return entry;
}

struct entry *found_or_not_bad(struct table *table, int key) {
    struct entry *entry;
    if (!table->ready)
        return NULL;
    mutex_lock(&table->lock); //~ lock-leak
    entry = search(table->first, key);
    if (table->ready > 7)
        return entry;
    mutex_unlock(&table->lock);
    if (key > 9)
        return NULL;
    return entry;
}

// A number that is not negative: locked.
int numbered_and_locked_ok(struct table *table, struct entry *entry, int *most) {
    int number;
    mutex_lock(&table->lock);
    number = number_for(entry);
    if (number >= 0 && entry->key) {
        int error = entry->value;
        if (error < 0)
            number = error;
    }
    if (number < 0) {
        mutex_unlock(&table->lock);
        return number;
    }
    if (number > *most)
        *most = number;
    return number;
}

// Time that is left: locked. Nobody asks whether there was any at first.
long waited_and_locked_ok(struct table *table, long time) {
    if (time < 0)
        return -22;
    mutex_lock(&table->lock);
    for (;;) {
        if (enabled())
            break;
        mutex_unlock(&table->lock);
        time = sleep_for(time);
        if (!time)
            break;
        mutex_lock(&table->lock);
    }
    return time;
}

// What could be an error address is not asked about where an entry is found.
struct entry *found_or_error_ok(struct table *table, int key) {
    struct entry *entry;
    mutex_lock(&table->lock);
    entry = search(table->first, key);
    if (entry != NULL)
        return entry;
    mutex_unlock(&table->lock);
    if (key > 5)
        return (struct entry *)-12L;
    return (struct entry *)-22L;
}

// An object that nobody here knows: its lock is taken by its own address, and given up by a function that gets the object.
struct table *current_table(void);
int grow(struct table *table, int size);

static int put(struct table *table, struct entry *entry, int key) {
    if (!table->slots[key])
        goto busy;
    table->slots[key] = entry;
    mutex_unlock(&table->lock);
    return key;
busy:
    mutex_unlock(&table->lock);
    return -16;
}

int given_up_by_a_callee_ok(struct entry *entry, int key) {
    int error;
    struct table *table = current_table();
    mutex_lock(&table->lock);
    error = grow(table, key);
    if (error < 0)
        goto out;
    error = put(table, entry, key);
    if (error < 0)
        return error;
    return 0;
out:
    mutex_unlock(&table->lock);
    return error;
}

int not_given_up_bad(struct entry *entry, int key) {
    int error;
    struct table *table = current_table();
    mutex_lock(&table->lock); //~ lock-leak
    error = grow(table, key);
    if (error < 0)
        return error;
    error = put(table, entry, key);
    if (error < 0)
        return error;
    return 0;
}

// The address of an element is not NULL.
static struct entry *element(unsigned long table, unsigned long index) {
    return (struct entry *)(table & ~15UL) + (index & 511);
}

int element_ok(struct table *table, unsigned long word, unsigned long index) {
    struct entry *entry = NULL;
    if (table->ready) {
        mutex_lock(&table->lock);
        entry = element(word, index);
    }
    if (!entry)
        return -12;
    entry->value++;
    mutex_unlock(&table->lock);
    return 0;
}

// A store at some index of an array leaves the pointer to the lock behind the array alone.
struct map {
    struct entry *slots[16];
    struct mutex *lock;
};

int beside_an_array_ok(struct map *map, struct entry *entry, unsigned index, unsigned count) {
    unsigned i;
    mutex_lock(map->lock);
    for (i = 0; i < count; i++, index++, entry++) {
        struct entry **slot = &map->slots[index % 16];
        entry->next = *slot;
        *slot = entry;
    }
    mutex_unlock(map->lock);
    return 0;
}

// A semaphore that another thread lifts, and one that is forgotten when something fails.
int transfer(struct entry *entry);

void handed_on_ok(struct semaphore *semaphore, struct entry *entry) {
    down(semaphore);
    if (!entry) {
        up(semaphore);
        return;
    }
    transfer(entry);
}

int forgotten_on_failure_bad(struct semaphore *semaphore, struct entry *entry) {
    if (down_interruptible(semaphore)) //~ lock-leak
        return -4;
    if (entry->key < 0)
        return -22;
    entry->value++;
    up(semaphore);
    return 0;
}

// NULL is the end of the list, with the lock held; an error address says that it could not be taken.
struct entry *first_entry(struct entry *first, long at) {
    for (; first; first = first->next)
        if (at-- == 0)
            return first;
    return NULL;
}

struct entry *start_of_list_ok(struct table *table, long at) {
    int error = mutex_lock_interruptible(&table->lock);
    if (error)
        return (struct entry *)(long)error;
    return first_entry(table->first, at);
}

struct entry *start_or_nothing_bad(struct table *table, long at) {
    if (mutex_lock_interruptible(&table->lock)) //~ lock-leak
        return NULL;
    if (table->ready > 7)
        return NULL;
    mutex_unlock(&table->lock);
    return first_entry(table->first, at);
}
