// What each rule of the analysis is for: assignments (six rules), allocations, releases, conditions.
#include "stubs.h"

struct cell {
    int data;
    struct cell *next;
    struct cell *other;
};

// Filter 1: what an assignment does not touch stays as it was.
void untouched_between_ok(struct cell *list, int number) {
    struct cell *at = list;
    int count = 0;
    if (list == NULL)
        return;
    at = list->next;
    count = number;
    list->data = count;
    at = NULL; //? proved assignment: the link still refers to it
}

// Filter 2: where something else than the cell is written, a place that refers to it was not written.
struct cell *other_value_written(struct cell *one, struct cell *two) {
    struct cell *rest;
    if (one == NULL || two == NULL)
        return NULL;
    rest = one->next;
    two->next = NULL; //? violated assignment: what `two` links to, when it is not `one`
    one->next = NULL; //? proved assignment: `rest` refers to it, whether or not the two are the same
    return rest;
}

// Filter 3: where the cell is written, a place that does not refer to it was not written.
struct cell *cell_written(struct cell *one, struct cell *two) {
    struct cell *cell = calloc(1, sizeof *cell);
    if (cell == NULL || one == NULL || two == NULL || one->next != NULL) {
        free(cell);
        return NULL;
    }
    two->other = NULL; //? violated assignment: whatever was there
    two->next = cell;  //? violated assignment: what `two` links to, when it is not `one`
    if (one->next == NULL)
        one->other = cell; //? violated assignment: whatever was there
    two->next = NULL;      //? proved assignment: `cell` refers to it as well
    return NULL;
} //? violated scope: the fresh cell, when the two are the same

// Filter 4: what is assigned from a place may be read there again.
struct cell *read_again(struct cell *one, struct cell *two) {
    if (one == NULL || two == NULL)
        return NULL;
    one->next = two->next; //? violated assignment: what `one` linked to
    two->next = NULL;      //? violated assignment: what `two` links to, when the two are the same
    return one->next;
}

// Substitution 1: after an assignment, a name is another word for what was assigned.
struct cell *another_word(struct cell *list) {
    struct cell *at;
    if (list == NULL)
        return NULL;
    at = list;
    at->next = NULL; //? violated assignment: what the list links to
    return list;
}

struct cell *another_word_kept_ok(struct cell *list) {
    struct cell *at;
    struct cell *rest;
    if (list == NULL)
        return NULL;
    rest = list->next;
    at = list;
    at->next = NULL; //? proved assignment: it is `rest`
    return rest;
}

// Substitution 2: where a place surely does not refer to the cell, what was assigned to it did not either.
struct cell *sole_reference_ok(struct cell *list) {
    struct cell *kept = NULL;
    struct cell *at = NULL;
    if (list == NULL)
        return NULL;
    at = list->other;
    kept = at;
    at = NULL; //? proved assignment: `kept` is another reference
    return kept;
}

// Allocations: the cell may be the fresh one, is surely not the fresh one, or cannot be it.
void fresh_cell_bad(void) {
    struct cell *cell = malloc(sizeof *cell); //~ memory-leak "cell"
    cell = NULL;                              //? violated assignment: the fresh cell
}

struct cell *not_the_fresh_cell(struct cell *list) {
    struct cell *cell;
    if (list == NULL)
        return NULL;
    cell = malloc(sizeof *cell);
    list->next = NULL; //? violated assignment: what was there before the allocation
    return cell;
}

struct cell *fresh_cell_held_twice_ok(struct cell **out) {
    struct cell *cell = malloc(sizeof *cell);
    if (out == NULL)
        return cell;
    *out = cell; //? violated assignment: what the caller had there
    cell = NULL; //? proved assignment: the caller has it too
    return *out;
}

void fresh_fields_refer_to_nothing_ok(void) {
    struct cell *cell = calloc(1, sizeof *cell);
    if (cell == NULL)
        return;
    cell->next = NULL;  //? proved assignment: a fresh field refers to nothing
    cell->other = NULL; //? proved assignment: likewise
    free(cell);         //? proved release: likewise
}

// Releases: what is released is not lost.
void released_first_ok(void) {
    struct cell *cell = malloc(sizeof *cell);
    free(cell);
    cell = NULL; //? proved assignment: the cell is released
}

void released_through_copy_ok(void) {
    struct cell *cell = malloc(sizeof *cell);
    struct cell *copy = cell;
    free(copy);
    cell = NULL; //? proved assignment: the cell is released
}

void another_released_bad(void) {
    struct cell *cell = malloc(sizeof *cell); //~ memory-leak "cell"
    struct cell *copy = malloc(sizeof *copy);
    free(copy);
    cell = NULL; //? violated assignment: it was the other that was released
}

// Conditions: equal pointers refer to the same, different ones do not, and null refers to nothing.
void null_is_nothing_ok(struct cell *list) {
    if (list != NULL && list->next == NULL)
        list->next = list; //? proved assignment: there was nothing
}

void equal_is_kept_ok(struct cell *list, struct cell *same) {
    if (list != NULL && list->next == same)
        list->next = NULL; //? proved assignment: the caller keeps what it passes
}

void different_is_lost(struct cell *list, struct cell *same) {
    if (list != NULL && list->next != same)
        list->next = NULL; //? violated assignment: something that the caller did not pass
}
