// A helper that puts a new element behind the last one of a list, and else moves elements: links that point back are as they were.
#include "stubs.h"

struct counter {
    struct counter *prev, *next;
    int count;
    const int *key;
};
struct counters {
    struct counter *first;
};

static struct counter *counter_new(const int *key, struct counter *prev) {
    struct counter *counter = malloc(sizeof *counter);
    if (counter) {
        counter->prev = prev;
        counter->next = 0;
        counter->count = 1;
        counter->key = key;
    }
    return counter;
}

static int count_up(struct counter **first, struct counter *counter, struct counter *last, const int *key) {
    if (counter) {
        struct counter *before;
        counter->count++;
        if (*first == counter || counter->prev->count >= counter->count)
            return 0;
        for (before = counter->prev; before; before = before->prev)
            if (before->count >= counter->count)
                break;
        counter->prev->next = counter->next;
        if (counter->next)
            counter->next->prev = counter->prev;
        if (before) {
            counter->prev = before;
            counter->next = before->next;
            before->next = counter;
            if (counter->next)
                counter->next->prev = counter;
        } else {
            counter->prev = 0;
            counter->next = *first;
            *first = counter;
            counter->next->prev = counter;
        }
    } else if (last) {
        counter = counter_new(key, last);
        if (!counter)
            return -1;
        last->next = counter;
    }
    return 0;
}

int count_ok(struct counters *counters, const int *key) {
    if (!counters->first) {
        counters->first = counter_new(key, 0);
        return counters->first ? 0 : -1;
    }
    struct counter *counter, *last = 0;
    for (counter = counters->first; counter; counter = counter->next) {
        if (*counter->key == *key)
            break;
        last = counter;
    }
    return count_up(&counters->first, counter, last, key);
}

static int count_up_and_forget(struct counter *counter, struct counter *last, const int *key) {
    if (counter) {
        counter->count++;
    } else if (last) {
        counter = counter_new(key, last); //~ memory-leak
        if (!counter)
            return -1;
        last->count++;
    }
    return 0;
}

int count_bad(struct counters *counters, const int *key) {
    struct counter *counter, *last = 0;
    for (counter = counters->first; counter; counter = counter->next) {
        if (*counter->key == *key)
            break;
        last = counter;
    }
    return count_up_and_forget(counter, last, key);
}
