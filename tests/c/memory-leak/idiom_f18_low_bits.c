// Flags in the low bits of an address.
#include "stubs.h"

typedef struct tree {
    uintptr_t children[2];
    int key;
} tree;

#define LEAF_FLAG ((uintptr_t)1)
#define is_leaf(w) (((w) & LEAF_FLAG) != 0)
#define strip(w) ((void *)((w) & ~LEAF_FLAG))

static uintptr_t make_leaf(int value) {
    int *leaf = malloc(sizeof *leaf);
    if (!leaf)
        return 0;
    *leaf = value;
    return (uintptr_t)leaf | LEAF_FLAG;
}

int leaf_made_and_freed_ok(int value) {
    uintptr_t word = make_leaf(value);
    if (!word)
        return -1;
    int seen = *(int *)strip(word);
    free(strip(word));
    return seen;
}

int leaf_hung_into_tree_ok(tree *parent, int side, int value) {
    uintptr_t word = make_leaf(value);
    if (word == 0)
        return -1;
    parent->children[side & 1] = word;
    return 0;
}

void *aligned_block_ok(size_t size) {
    void *raw = malloc(size + 63 + sizeof(void *));
    if (!raw)
        return NULL;
    uintptr_t at = ((uintptr_t)raw + sizeof(void *) + 63) & ~(uintptr_t)63;
    ((void **)at)[-1] = raw;
    return (void *)at;
}

int balanced_by_xor_ok(int flag) {
    char *block = malloc(8);
    if (!block)
        return -1;
    uintptr_t word = (uintptr_t)block;
    word ^= (uintptr_t)(flag & 1);
    word ^= (uintptr_t)(flag & 1);
    free((char *)word);
    return 0;
}

int leaf_looked_at_bad(int value) {
    uintptr_t word = make_leaf(value);    //~ memory-leak
    if (!word)
        return -1;
    return is_leaf(word) ? *(int *)strip(word) : 0;
}

int tag_added_and_dropped_bad(void) {
    long *number = malloc(sizeof *number);    //~ memory-leak
    if (!number)
        return -1;
    *number = 9;
    uintptr_t word = (uintptr_t)number + 2;
    return (int)(word & 3);
}
