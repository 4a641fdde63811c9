// One object for the whole program, created, replaced and destroyed through a global.
#include "stubs.h"

struct config {
    int version;
    int strict;
};

static struct config *current;

static struct config *config_new(int version) {
    struct config *config = malloc(sizeof *config);
    if (!config)
        return NULL;
    config->version = version;
    config->strict = version & 1;
    return config;
}

struct config *created_on_demand_ok(void) {
    if (!current)
        current = config_new(1);
    return current;
}

int swapped_ok(int version) {
    struct config *fresh = config_new(version);
    if (!fresh)
        return -1;
    struct config *old = current;
    current = fresh;
    free(old);
    return 0;
}

void destroyed_ok(void) {
    free(current);
    current = NULL;
}

int created_and_destroyed_ok(int version) {
    free(current);
    current = config_new(version);
    if (!current)
        return -1;
    int strict = current->strict;
    free(current);
    current = NULL;
    return strict;
}

static const char *host_name(void) {
    static char *cached;
    if (!cached)
        cached = strdup("localhost");
    return cached;
}

int static_local_cache_ok(void) {
    const char *first = host_name();
    const char *second = host_name();
    return first && second && first[0] == second[0];
}

int overwritten_without_release_bad(int version) {
    free(current);
    current = config_new(version);    //~ memory-leak "current"
    if (!current)
        return -1;
    if (current->strict)
        current = config_new(version + 1);
    return 0;
}

void cleared_without_release_bad(int version) {
    free(current);
    current = config_new(version);    //~ memory-leak "current"
    if (current && current->version > 9)
        current = NULL;
}

int swapped_and_old_forgotten_bad(int version) {
    free(current);
    current = config_new(version);    //~ memory-leak
    struct config *fresh = config_new(version + 1);
    if (!fresh)
        return -1;
    struct config *old = current;
    current = fresh;
    return old ? old->version : 0;
}
