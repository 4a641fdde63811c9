// A block is published by an atomic operation in a retry loop.
#include "stubs.h"

struct config { int version; struct config *older; };
static struct config *current;

void pushed_ok(int version) {
    struct config *config = malloc(sizeof *config);
    if (!config)
        return;
    config->version = version;
    config->older = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&current, &config->older, config, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

int tried_once_ok(int version) {
    struct config *none = NULL, *config = calloc(1, sizeof *config);
    if (!config)
        return 0;
    config->version = version;
    if (__atomic_compare_exchange_n(&current, &none, config, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return 1;
    free(config);
    return 0;
}

int tried_once_bad(int version) {
    struct config *none = NULL, *config = calloc(1, sizeof *config);    //~ memory-leak "config"
    if (!config)
        return 0;
    config->version = version;
    return __atomic_compare_exchange_n(&current, &none, config, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
