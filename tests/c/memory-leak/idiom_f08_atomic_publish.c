// A pointer is published by an atomic store, exchange or compare-and-swap.
#include "stubs.h"

struct config {
    int version;
    struct config *next;
};

static struct config *current;
static struct config *stack;
static struct config *_Atomic shared;

static struct config *config_new(int version) {
    struct config *config = malloc(sizeof *config);
    if (!config)
        return NULL;
    config->version = version;
    config->next = NULL;
    return config;
}

int exchanged_and_old_freed_ok(int version) {
    struct config *config = config_new(version);
    if (!config)
        return -1;
    struct config *old = __atomic_exchange_n(&current, config, __ATOMIC_ACQ_REL);
    free(old);
    return 0;
}

int stored_atomically_ok(struct config **place, int version) {
    struct config *config = config_new(version);
    if (!config)
        return -1;
    __atomic_store_n(place, config, __ATOMIC_RELEASE);
    return 0;
}

int stored_in_atomic_object_ok(int version) {
    struct config *config = config_new(version);
    if (!config)
        return -1;
    shared = config;
    return 0;
}

struct config *first_one_wins_ok(int version) {
    struct config *config = config_new(version);
    if (!config)
        return NULL;
    struct config *expected = NULL;
    if (!__atomic_compare_exchange_n(&current, &expected, config, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(config);
        return expected;
    }
    return config;
}

int older_builtin_ok(int version) {
    struct config *config = config_new(version);
    if (!config)
        return -1;
    if (!__sync_bool_compare_and_swap(&current, NULL, config))
        free(config);
    return 0;
}

int pushed_without_lock_ok(int version) {
    struct config *config = config_new(version);
    if (!config)
        return -1;
    config->next = __atomic_load_n(&stack, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&stack, &config->next, config, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return 0;
}

int lost_the_race_bad(int version) {
    struct config *config = config_new(version);    //~ memory-leak "config"
    if (!config)
        return -1;
    struct config *expected = NULL;
    if (!__atomic_compare_exchange_n(&current, &expected, config, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return 1;
    return 0;
}

int older_builtin_bad(struct config **place, int version) {
    struct config *config = config_new(version);    //~ memory-leak "config"
    if (!config)
        return -1;
    __sync_bool_compare_and_swap(place, NULL, config);
    return 0;
}

int published_in_local_bad(int version) {
    struct config *local = NULL;
    struct config *config = config_new(version);    //~ memory-leak
    if (!config)
        return -1;
    __atomic_store_n(&local, config, __ATOMIC_RELEASE);
    return local->version;
}

int exchanged_out_and_dropped_bad(int version) {
    struct config *local = config_new(version);    //~ memory-leak
    if (!local)
        return -1;
    struct config *old = __atomic_exchange_n(&local, NULL, __ATOMIC_ACQ_REL);
    return old->version;
}
