// The pointer goes through an integer: tag bits, masks, offsets.
#include "stubs.h"

struct node {
    int value;
};

struct cell {
    uintptr_t word;
};

static uintptr_t tagged(struct node *node, unsigned int tag) { return (uintptr_t)node | tag; }
static struct node *untagged(uintptr_t word) { return (struct node *)(word & ~(uintptr_t)3); }

static uintptr_t global_word;

void tag_taken_off_again_ok(void) {
    struct node *node = malloc(sizeof *node);
    uintptr_t word = (uintptr_t)node | 1;
    free((void *)(word & ~(uintptr_t)1));
}

void tag_by_helper_ok(unsigned int colour) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return;
    node->value = 1;
    uintptr_t word = tagged(node, colour & 3);
    free(untagged(word));
}

void plus_zero_ok(void) {
    char *block = malloc(8);
    uintptr_t word = (uintptr_t)block + 0;
    free((void *)word);
}

void offset_taken_back_ok(void) {
    char *block = malloc(64);
    if (!block)
        return;
    uintptr_t word = (uintptr_t)block + 16;
    free((void *)(word - 16));
}

uintptr_t tagged_and_returned_ok(void) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return 0;
    return tagged(node, 2);
}

void tagged_and_stored_ok(struct cell *cell) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return;
    cell->word = (uintptr_t)node | 1;
}

void tagged_and_stored_globally_ok(void) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return;
    free(untagged(global_word));
    global_word = tagged(node, 1);
}

int both_values_of_the_tag_ok(int heavy) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return -1;
    uintptr_t word = (uintptr_t)node | (heavy ? 1u : 0u);
    if (word & 1)
        free((void *)(word - 1));
    else
        free((void *)word);
    return 0;
}

int tag_added_never_freed_bad(void) {
    struct node *node = malloc(sizeof *node);    //~ memory-leak
    if (!node)
        return -1;
    uintptr_t word = (uintptr_t)node | 1;
    return (word & 1) != 0;
}

int one_value_of_the_tag_bad(int heavy) {
    struct node *node = malloc(sizeof *node);    //~ memory-leak
    if (!node)
        return -1;
    uintptr_t word = (uintptr_t)node | (heavy ? 1u : 0u);
    if (word & 1)
        free((void *)(word - 1));
    return 0;
}

int tagged_in_local_struct_bad(int value) {
    struct cell cell;
    struct node *node = malloc(sizeof *node);    //~ memory-leak
    if (!node)
        return -1;
    node->value = value;
    cell.word = tagged(node, 1);
    return untagged(cell.word)->value;
}
