// Structures that are zeroed or copied as a whole, in the function itself or in a helper: what their cells hold
// afterwards decides what is released.
#include "stubs.h"

struct arena {
    char *start;
    char *next;
    int failed;
};

struct context {
    struct arena arena;
    size_t borrowed_size;
    char *table;
    int level;
};

// Zeroed after the test for NULL, so on some paths only.

static struct context *context_new(void) {
    struct context *context = malloc(sizeof *context);
    if (!context)
        return NULL;
    memset(context, 0, sizeof *context);
    context->level = 3;
    return context;
}

// Refuses to release what is in borrowed memory; that is never so for what `context_new` made.
static int context_free(struct context *context) {
    if (!context)
        return 0;
    if (context->borrowed_size)
        return -1;
    free(context->table);
    free(context);
    return 0;
}

int zeroed_in_constructor_ok(int count) {
    struct context *context = context_new();
    int sum = 0;
    if (!context)
        return -1;
    for (int i = 0; i < count; i++)
        sum += context->level;
    context_free(context);
    return sum;
}

int flag_set_after_zeroing_bad(void) {
    struct context *context = context_new();    //~ memory-leak "context"
    if (!context)
        return -1;
    context->borrowed_size = sizeof *context;
    return context_free(context);
}

// The owner is moved: copied, and the source zeroed.

static void arena_move(struct arena *to, struct arena *from) {
    *to = *from;
    memset(from, 0, sizeof *from);
}

static void arena_free(struct arena *arena) {
    free(arena->start);
    memset(arena, 0, sizeof *arena);
}

int moved_and_released_ok(void) {
    struct arena first = {0}, second;
    first.start = malloc(64);
    first.next = first.start;
    arena_move(&second, &first);
    arena_free(&first);
    arena_free(&second);
    return 0;
}

int moved_and_old_one_released_bad(void) {
    struct arena first = {0}, second;
    first.start = malloc(64);    //~ memory-leak "first.start"
    arena_move(&second, &first);
    arena_free(&first);
    return 0;
}

// The object lies in the memory that it owns.

struct context *inside_its_own_memory_ok(size_t size) {
    char *memory = malloc(size);
    struct arena arena;
    struct context *context;
    if (!memory)
        return NULL;
    arena.start = memory;
    arena.next = memory + sizeof *context;
    arena.failed = 0;
    context = (struct context *)arena.start;
    arena_move(&context->arena, &arena);
    context->level = 1;
    return context;
}

// What a copy holds is what its source held then, not what it holds later.

int source_changes_after_copy_bad(struct context *given) {
    struct context saved;
    given->table = malloc(16);    //~ memory-leak "given->table"
    if (!given->table)
        return -1;
    saved = *given;
    memset(given, 0, sizeof *given);
    return saved.level;
}

int restored_from_copy_ok(struct context *given) {
    struct context saved;
    given->table = malloc(16);
    if (!given->table)
        return -1;
    saved = *given;
    memset(given, 0, sizeof *given);
    given->level = 2;
    *given = saved;
    return 0;
}

static void swap(struct arena *a, struct arena *b) {
    struct arena old = *a;
    *a = *b;
    *b = old;
}

int swapped_ok(struct arena *given) {
    struct arena fresh = {0};
    fresh.start = malloc(32);
    if (!fresh.start)
        return -1;
    swap(&fresh, given);
    free(fresh.start);
    return 0;
}

int swapped_and_back_bad(struct arena *given) {
    struct arena fresh = {0};
    fresh.start = malloc(32);    //~ memory-leak "fresh.start"
    if (!fresh.start)
        return -1;
    swap(&fresh, given);
    swap(&fresh, given);
    return 0;
}

// A constant template.

static const struct context EMPTY = {{0, 0, 0}, 0, 0, 7};

static void context_init(struct context *context) {
    *context = EMPTY;
}

int from_template_ok(void) {
    struct context *context = malloc(sizeof *context);
    if (!context)
        return -1;
    context_init(context);
    if (context->level == 7)
        return context_free(context);
    return 0;
}

int from_template_bad(void) {
    struct context *context = malloc(sizeof *context);    //~ memory-leak "context"
    if (!context)
        return -1;
    context_init(context);
    if (context->level == 8)
        return context_free(context);
    return 0;
}
