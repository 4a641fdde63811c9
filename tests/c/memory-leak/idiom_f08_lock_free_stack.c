// Blocks are published by atomic operations.
#include "stubs.h"

struct config {
    int level;
    struct config *older;
};

static struct config *current;
static _Atomic(struct config *) newest;

void replaced_ok(int level) {
    struct config *config = malloc(sizeof *config);
    if (!config)
        return;
    config->level = level;
    config->older = NULL;
    struct config *before = __atomic_exchange_n(&current, config, __ATOMIC_ACQ_REL);
    free(before);
}

void pushed_ok(int level) {
    struct config *config = malloc(sizeof *config);
    if (!config)
        return;
    config->level = level;
    struct config *seen = __atomic_load_n(&current, __ATOMIC_RELAXED);
    do {
        config->older = seen;
    } while (!__atomic_compare_exchange_n(&current, &seen, config, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

struct config *first_one_wins_ok(int level) {
    struct config *have = newest;
    if (have)
        return have;
    struct config *mine = calloc(1, sizeof *mine);
    if (!mine)
        return NULL;
    mine->level = level;
    struct config *expected = NULL;
    if (__c11_atomic_compare_exchange_strong(&newest, &expected, mine, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return mine;
    free(mine);
    return expected;
}

struct config *loser_is_dropped_bad(int level) {
    struct config *mine = calloc(1, sizeof *mine);    //~ memory-leak "mine"
    if (!mine)
        return NULL;
    mine->level = level;
    struct config *expected = NULL;
    if (!__atomic_compare_exchange_n(&current, &expected, mine, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return expected;
    return mine;
}

int swapped_once_bad(struct config **place, int level) {
    struct config *mine = malloc(sizeof *mine);    //~ memory-leak "mine"
    if (!mine)
        return -1;
    mine->level = level;
    mine->older = NULL;
    return __sync_bool_compare_and_swap(place, NULL, mine);
}
