// Allocators behind pointers in globals: set by initialisers, by set-up functions, by copies of tables.
#include "stubs.h"

struct allocator {
    void *(*take)(size_t size);
    void (*give)(void *block);
};

// A pointer that the user of the library may replace.
static void *(*my_malloc)(size_t size) = malloc;
static void (*my_free)(void *block) = free;

void use_other_functions(void *(*take)(size_t size), void (*give)(void *block)) {
    my_malloc = take;
    my_free = give;
}

int replaceable_bad(const char *text) {
    char *copy = my_malloc(8);    //~ memory-leak "`copy`"
    if (!copy)
        return -1;
    if (!text)
        return -2;
    copy[0] = text[0];
    my_free(copy);
    return 0;
}

int replaceable_ok(const char *text) {
    char *copy = my_malloc(8);
    if (!copy)
        return -1;
    copy[0] = text[0];
    my_free(copy);
    return 0;
}

// Everything fails until somebody has set it up.
static void *take_nothing(size_t size) { (void)size; return NULL; }
static void give_nothing(void *block) { (void)block; }
static void *plain_take(size_t size) { return malloc(size); }
static void plain_give(void *block) { free(block); }

static struct allocator chosen = { take_nothing, give_nothing };

static void choose_plain(struct allocator *allocator) {
    allocator->take = plain_take;
    allocator->give = plain_give;
}

void set_up(void) { choose_plain(&chosen); }

static void *take(size_t size) { return chosen.take(size); }
static void give(void *block) { chosen.give(block); }

int set_through_parameter_bad(int flag) {
    char *block = take(8);    //~ memory-leak "block"
    if (!block)
        return -1;
    if (flag)
        return 1;
    give(block);
    return 0;
}

int set_through_parameter_ok(int flag) {
    char *block = take(8);
    if (!block)
        return -1;
    block[0] = (char)flag;
    give(block);
    return 0;
}

// A table is copied into a member of the configuration; who gives it is not known there.
struct configuration {
    int level;
    struct allocator memory;
};
static struct configuration configuration;
static const struct allocator defaults = { plain_take, plain_give };

void configure(const struct allocator *memory) { configuration.memory = *memory; }
void configure_defaults(void) { configure(&defaults); }

int copied_table_bad(int flag) {
    char *block = configuration.memory.take(16);    //~ memory-leak "`block`"
    if (!block)
        return -1;
    if (flag)
        return 1;
    configuration.memory.give(block);
    return 0;
}

int copied_table_ok(int flag) {
    char *block = configuration.memory.take(16);
    if (!block)
        return -1;
    block[0] = (char)flag;
    configuration.memory.give(block);
    return 0;
}

// Null until it is set: then the block is released otherwise.
static void (*on_close)(void *block);

static void close_it(void *block) { free(block); }
void watch(void (*function)(void *block)) { on_close = function; }
void watch_all(void) { watch(close_it); }

int asked_before_call_ok(void) {
    char *block = malloc(8);
    if (on_close)
        on_close(block);
    else
        free(block);
    return 0;
}

int only_if_set_bad(void) {
    char *block = malloc(8);    //~ memory-leak "block"
    if (on_close)
        on_close(block);
    return 0;
}

// One that takes over and one that does not: what the pointer is set to decides, and nothing is said.
static void *last;
static void remember(void *block) { last = block; }
static void *(*convert)(void *block);
static void *renew(void *block) { free(block); return malloc(1); }
static void *same(void *block) { return block; }
void convert_by_copy(void) { convert = renew; }
void convert_in_place(void) { convert = same; }

int different_contracts_ok(void) {
    char *block = malloc(8);
    remember(last);
    block = convert(block);
    if (block != last)
        last = block;
    return 0;
}
