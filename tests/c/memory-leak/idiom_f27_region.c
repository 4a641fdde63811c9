// Objects live in a region and die with it.
#include "stubs.h"

struct chunk {
    struct chunk *before;
    char bytes[1000];
};

struct region {
    struct chunk *newest;
    size_t used;
};

static struct region *region_new(void) { return calloc(1, sizeof(struct region)); }

static void *region_take(struct region *region, size_t size) {
    if (size > 1000)
        return NULL;
    if (!region->newest || region->used + size > 1000) {
        struct chunk *chunk = malloc(sizeof *chunk);
        if (!chunk)
            return NULL;
        chunk->before = region->newest;
        region->newest = chunk;
        region->used = 0;
    }
    void *result = region->newest->bytes + region->used;
    region->used += size;
    return result;
}

static void region_end(struct region *region) {
    struct chunk *chunk = region->newest;
    while (chunk) {
        struct chunk *before = chunk->before;
        free(chunk);
        chunk = before;
    }
    free(region);
}

int objects_in_region_ok(void) {
    struct region *region = region_new();
    if (!region)
        return -1;
    int *numbers = region_take(region, 40);
    char *text = region_take(region, 10);
    if (numbers && text)
        numbers[0] = text[0] = 1;
    region_end(region);
    return 0;
}

char *object_in_given_region_ok(struct region *region, const char *from) {
    char *text = region_take(region, strlen(from) + 1);
    if (text)
        strcpy(text, from);
    return text;
}

int region_lost_on_error_bad(void) {
    struct region *region = region_new();    //~ memory-leak "region"
    if (!region)
        return -1;
    int *numbers = region_take(region, 40);
    if (!numbers)
        return -1;
    numbers[0] = 1;
    region_end(region);
    return 0;
}

int region_never_ended_bad(void) {
    struct region *region = region_new();    //~ memory-leak "region"
    if (!region)
        return -1;
    return region->newest == NULL;
}
