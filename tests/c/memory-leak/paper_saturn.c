// The parts of the Saturn framework that decide whether a leak is real: integers down
// to the bit, merges without path enumeration, structs, guarded pointers, lazy inputs,
// loops and recursion.
#include "stubs.h"

// Integers down to the bit.

void same_two_bits_ok(unsigned int x) {
    char *block = NULL;
    if ((x & 3) == 0)
        block = malloc(8);
    if ((x << 30) == 0)
        free(block);
}

void one_bit_too_many_bad(unsigned int x) {
    char *block = NULL;
    if ((x & 3) == 0)
        block = malloc(8);    //~ memory-leak "block"
    if ((x << 29) == 0)
        free(block);
}

int masked_byte_fits_ok(unsigned int x) {
    char *block = malloc(8);
    if (!block)
        return -1;
    unsigned int low = x & 0xff;
    if (low >= 0x100)
        return -2;
    free(block);
    return 0;
}

int narrowing_that_changes_bad(int x) {
    char *block = malloc(8);    //~ memory-leak "block"
    if (!block)
        return -1;
    short narrow = (short)x;
    if (narrow != x)
        return -2;
    free(block);
    return 0;
}

int narrowing_in_range_ok(int x) {
    if (x < -32768 || x > 32767)
        return -1;
    char *block = malloc(8);
    if (!block)
        return -1;
    short narrow = (short)x;
    if (narrow != x)
        return -2;
    free(block);
    return 0;
}

int doubling_is_adding_ok(unsigned int x) {
    char *block = malloc(8);
    if (!block)
        return -1;
    if (x * 2 != x + x)
        return -2;
    free(block);
    return 0;
}

int doubling_may_wrap_bad(unsigned int x) {
    char *block = malloc(8);    //~ memory-leak "block"
    if (!block)
        return -1;
    if (x * 2 < x)
        return -2;
    free(block);
    return 0;
}

void sign_matters_bad(int n) {
    char *block = NULL;
    if ((unsigned int)n > 8)
        block = malloc(16);    //~ memory-leak "block"
    if (n > 8)
        free(block);
}

void sign_matters_ok(int n) {
    char *block = NULL;
    if (n > 8)
        block = malloc(16);
    if ((unsigned int)n > 8)
        free(block);
}

int xor_is_its_own_inverse_ok(unsigned int a, unsigned int key) {
    char *block = malloc(8);
    if (!block)
        return -1;
    unsigned int secret = a ^ key;
    if ((secret ^ key) != a)
        return -2;
    free(block);
    return 0;
}

// Control flow: merges, switches, and a loop that can be entered in two places.

int merge_of_both_branches_ok(int c, int d) {
    char *block = malloc(8);
    int score = 0;
    if (c)
        score += 1;
    else
        score -= 1;
    if (d)
        score += 2;
    else
        score -= 2;
    free(block);
    return score;
}

int switch_selects_release_ok(int kind) {
    char *block = malloc(8);
    switch (kind) {
    case 0:
    case 1:
        free(block);
        return 0;
    case 2:
        kind = 7;
        // Falls through on purpose.
    default:
        free(block);
        return kind;
    }
}

int switch_selects_release_bad(int kind) {
    char *block = malloc(8);    //~ memory-leak "block"
    switch (kind) {
    case 0:
    case 1:
        free(block);
        return 0;
    case 2:
        return 2;
    default:
        free(block);
        return 3;
    }
}

unsigned int two_way_into_loop_ok(unsigned int n, int start) {
    char *block = malloc(8);
    unsigned int i = 0;
    if (start)
        goto middle;
top:
    i++;
middle:
    i++;
    if (i < n)
        goto top;
    free(block);
    return i;
}

unsigned int two_way_into_loop_bad(unsigned int n, int start) {
    char *block = malloc(8);    //~ memory-leak "block"
    unsigned int i = 0;
    if (start)
        goto middle;
top:
    i++;
    if (i == 5)
        return i;
middle:
    i++;
    if (i < n)
        goto top;
    free(block);
    return i;
}

// Structs, nested, copied whole.

struct inner {
    int size;
    char *data;
};

struct outer {
    int kind;
    struct inner inner;
};

void struct_copied_whole_ok(void) {
    struct outer first = { 1, { 8, malloc(8) } };
    struct outer second = first;
    free(second.inner.data);
}

void struct_copied_whole_bad(void) {
    struct outer first = { 1, { 8, NULL } };
    first.inner.data = malloc(8);    //~ memory-leak
    struct outer second = first;
    if (second.kind == 2)
        free(second.inner.data);
}

void struct_overwritten_whole_bad(const struct outer *other) {
    struct outer first = { 1, { 8, NULL } };
    first.inner.data = malloc(8);    //~ memory-leak "first.inner.data"
    first = *other;
    printf("%d\n", first.kind);
}

struct outer *struct_copied_to_heap_ok(void) {
    struct outer local = { 1, { 8, malloc(8) } };
    struct outer *copy = malloc(sizeof *copy);
    if (!copy) {
        free(local.inner.data);
        return NULL;
    }
    *copy = local;
    return copy;
}

// Pointers: a set of places, each under its condition.

void stored_through_either_ok(int c) {
    char *x = NULL;
    char *y = NULL;
    char **place;
    if (c)
        place = &x;
    else
        place = &y;
    *place = malloc(8);
    free(x);
    free(y);
}

void stored_through_either_bad(int c) {
    char *x = NULL;
    char *y = NULL;
    char **place;
    if (c)
        place = &x;
    else
        place = &y;
    *place = malloc(8);    //~ memory-leak
    free(x);
}

void strong_update_bad(void) {
    char *x = NULL;
    char **place = &x;
    *place = malloc(8);    //~ memory-leak
    x = NULL;
    free(*place);
}

void null_is_a_place_ok(int c) {
    char *x = NULL;
    char **place = c ? &x : NULL;
    if (place)
        *place = malloc(8);
    free(x);
}

// One address seen at several types.

struct base {
    char *label;
};

struct derived {
    struct base base;
    int extra;
};

void seen_as_first_member_ok(void) {
    struct derived derived = { { NULL }, 0 };
    struct base *base = (struct base *)&derived;
    base->label = malloc(8);
    free(derived.base.label);
}

void seen_as_first_member_bad(void) {
    struct derived derived = { { NULL }, 0 };
    struct base *base = (struct base *)&derived;
    base->label = malloc(8);    //~ memory-leak
    derived.base.label = NULL;
}

// Lazy inputs: different parameters are different objects, back pointers close up.

struct cell {
    char *data;
    struct cell *next;
    struct cell *previous;
};

struct branch {
    char *data;
    struct branch *left;
    struct branch *right;
    struct branch *parent;
};

void parameters_do_not_alias_ok(struct cell *a, struct cell *b) {
    a->data = malloc(8);
    b->data = NULL;
}

void back_pointer_of_list_ok(struct cell *cell, const char *text) {
    cell->next->previous->data = strdup(text);
}

void parent_pointer_of_tree_ok(struct branch *branch, const char *text) {
    branch->left->parent->data = strdup(text);
}

void unlinked_by_list_pointers_bad(struct cell *cell) {
    struct cell *fresh = malloc(sizeof *fresh);    //~ memory-leak
    if (!fresh)
        return;
    fresh->data = NULL;
    fresh->next = cell->next;
    fresh->previous = cell;
    cell->next = fresh;
    cell->next = fresh->next;
}

// Loops: a few iterations exactly, or one with everything unknown.

int code_after_long_loop_is_reached_bad(void) {
    int sum = 0;
    for (int i = 0; i < 10000; i++)
        sum ^= i;
    char *block = malloc(8);    //~ memory-leak "block"
    if (!block)
        return 0;
    block[0] = (char)sum;
    return block[0];
}

int block_held_across_long_loop_ok(void) {
    unsigned int sum = 0;
    unsigned int *numbers = malloc(10000 * sizeof *numbers);
    if (!numbers)
        return 0;
    for (int i = 0; i < 10000; i++)
        numbers[i] = (unsigned int)i;
    for (int i = 0; i < 10000; i++)
        sum += numbers[i];
    free(numbers);
    return (int)(sum & 0xff);
}

void third_iteration_forgets_bad(void) {
    for (int i = 0; i < 5; i++) {
        char *block = malloc(8);    //~ memory-leak "block"
        if (i == 2)
            continue;
        free(block);
    }
}

void iteration_that_never_comes_ok(void) {
    for (int i = 0; i < 5; i++) {
        char *block = malloc(8);
        if (i == 7)
            continue;
        free(block);
    }
}

int each_iteration_releases_ok(char *const *words, int count) {
    int total = 0;
    for (int i = 0; i < count; i++) {
        char *copy = strdup(words[i]);
        if (!copy)
            break;
        total += copy[0];
        free(copy);
    }
    return total;
}

// Recursion: the summary of a function that calls itself, and of two that call each other.

struct tree {
    struct tree *left;
    struct tree *right;
};

static void tree_free(struct tree *tree) {
    if (!tree)
        return;
    tree_free(tree->left);
    tree_free(tree->right);
    free(tree);
}

static struct tree *tree_make(int depth) {
    if (depth <= 0)
        return NULL;
    struct tree *tree = malloc(sizeof *tree);
    if (!tree)
        return NULL;
    tree->left = tree_make(depth - 1);
    tree->right = tree_make(depth - 1);
    return tree;
}

void recursive_release_ok(void) {
    struct tree *root = calloc(1, sizeof *root);
    if (!root)
        return;
    root->left = calloc(1, sizeof *root);
    tree_free(root);
}

void recursive_allocation_ok(int depth) {
    struct tree *root = tree_make(depth);
    tree_free(root);
}

int recursive_allocation_bad(int depth) {
    struct tree *root = tree_make(depth);    //~ memory-leak "root"
    if (!root)
        return 0;
    return root->left != NULL;
}

static void odd_releases(char *block, unsigned int n);

static void even_releases(char *block, unsigned int n) {
    if (n == 0)
        free(block);
    else
        odd_releases(block, n - 1);
}

static void odd_releases(char *block, unsigned int n) {
    if (n == 0)
        free(block);
    else
        even_releases(block, n - 1);
}

void mutual_recursion_releases_ok(unsigned int n) {
    char *block = malloc(8);
    even_releases(block, n);
}

static void odd_forgets(char *block, unsigned int n);

static void even_remembers(char *block, unsigned int n) {
    if (n == 0)
        free(block);
    else
        odd_forgets(block, n - 1);
}

static void odd_forgets(char *block, unsigned int n) {
    if (n == 0)
        return;
    even_remembers(block, n - 1);
}

void mutual_recursion_forgets_bad(unsigned int n) {
    char *block = malloc(8);    //~ memory-leak "block"
    even_remembers(block, n);
}
