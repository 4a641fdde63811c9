// Objects from an arena need no release of their own; the arena does.
#include "stubs.h"

struct chunk {
    struct chunk *next;
    char bytes[64];
};

struct arena {
    struct chunk *chunks;
};

struct point {
    int x;
    int y;
};

static struct arena *arena_new(void) {
    return calloc(1, sizeof(struct arena));
}

static void *arena_take(struct arena *arena) {
    struct chunk *chunk = malloc(sizeof *chunk);
    if (!chunk)
        return NULL;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk->bytes;
}

static void arena_reset(struct arena *arena) {
    struct chunk *chunk = arena->chunks;
    while (chunk) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    arena->chunks = NULL;
}

static void arena_free(struct arena *arena) {
    if (!arena)
        return;
    arena_reset(arena);
    free(arena);
}

int taken_from_parameter_arena_ok(struct arena *arena) {
    struct point *point = arena_take(arena);
    if (!point)
        return -1;
    point->x = 1;
    point->y = 2;
    return point->x + point->y;
}

int arena_released_as_a_whole_ok(void) {
    struct arena *arena = arena_new();
    if (!arena)
        return -1;
    struct point *point = arena_take(arena);
    int seen = -1;
    if (point) {
        point->x = 5;
        seen = point->x;
    }
    arena_free(arena);
    return seen;
}

int arena_on_the_stack_ok(int early) {
    struct arena arena = { NULL };
    struct point *first = arena_take(&arena);
    struct point *second = arena_take(&arena);
    if (!first || !second || early) {
        arena_reset(&arena);
        return -1;
    }
    first->x = second->y = 1;
    arena_reset(&arena);
    return 0;
}

struct bump {
    char *base;
    size_t used;
    size_t size;
};

static int bump_init(struct bump *bump, size_t size) {
    bump->base = malloc(size);
    if (!bump->base)
        return -1;
    bump->used = 0;
    bump->size = size;
    return 0;
}

static void *bump_take(struct bump *bump, size_t size) {
    if (size > bump->size - bump->used)
        return NULL;
    void *block = bump->base + bump->used;
    bump->used += size;
    return block;
}

int slices_of_one_block_ok(void) {
    struct bump bump;
    if (bump_init(&bump, 256) < 0)
        return -1;
    struct point *point = bump_take(&bump, sizeof *point);
    if (point)
        point->x = 1;
    free(bump.base);
    return 0;
}

int arena_itself_is_lost_bad(int count) {
    struct arena *arena = arena_new();    //~ memory-leak "arena"
    if (!arena)
        return -1;
    if (count > 100)
        return -2;
    struct point *point = arena_take(arena);
    if (point)
        point->x = count;
    arena_free(arena);
    return 0;
}

int arena_only_reset_bad(void) {
    struct arena *arena = arena_new();    //~ memory-leak "arena"
    if (!arena)
        return -1;
    struct point *point = arena_take(arena);
    int result = point ? 0 : -1;
    arena_reset(arena);
    return result;
}

int block_of_slices_is_lost_bad(size_t size) {
    struct bump bump;
    if (bump_init(&bump, size) < 0)    //~ memory-leak
        return -1;
    struct point *point = bump_take(&bump, sizeof *point);
    if (!point)
        return -2;
    free(bump.base);
    return 0;
}
