// Every kind of statement that can lose a cell, once losing one and once not.
#include "stubs.h"

struct cell {
    int data;
    struct cell *next;
};

struct cell *shelf;

static struct cell *fresh(void) {
    return calloc(1, sizeof(struct cell));
}

void assignment_bad(void) {
    struct cell *cell = calloc(1, sizeof *cell); //~ memory-leak "cell"
    cell = NULL;                                 //? violated assignment: the fresh cell
}

struct cell *assignment_ok(void) {
    struct cell *cell = calloc(1, sizeof *cell);
    struct cell *other = cell;
    cell = NULL; //? proved assignment: `other` refers to it as well
    return other;
}

void allocation_bad(void) {
    struct cell *cell = calloc(1, sizeof *cell); //~ memory-leak "cell"
    cell = calloc(1, sizeof *cell);              //? violated allocation: the first cell
    free(cell);
}

void allocation_ok(void) {
    struct cell *cell = calloc(1, sizeof *cell);
    free(cell);
    cell = calloc(1, sizeof *cell); //? proved allocation: the first cell is released
    free(cell);
}

void release_bad(void) {
    struct cell *cell = calloc(1, sizeof *cell);
    if (cell == NULL)
        return;
    cell->next = calloc(1, sizeof *cell); //~ memory-leak
    free(cell);                           //? violated release: the cell that it links to
}

struct cell *release_ok(void) {
    struct cell *rest;
    struct cell *cell = calloc(1, sizeof *cell);
    if (cell == NULL)
        return NULL;
    cell->next = calloc(1, sizeof *cell);
    rest = cell->next;
    free(cell); //? proved release: `rest` refers to what it links to
    return rest;
}

void scope_bad(void) {
    struct cell *cell = calloc(1, sizeof *cell); //~ memory-leak "cell"
} //? violated scope: the fresh cell

void scope_ok(void) {
    struct cell *cell = calloc(1, sizeof *cell);
    if (cell != NULL)
        cell->next = shelf;
    if (cell != NULL)
        shelf = cell;
} //? proved scope: a global refers to it

void scope_of_copy_ok(struct cell *cell) {
    struct cell copy = *cell;
    copy.next = cell;
} //? proved scope: the caller keeps what it passes, and the cell has not changed

static void forget(struct cell *cell) {
    if (cell != NULL)
        cell->data = 1;
} //? violated scope: what the caller passes and does not keep

void scope_of_parameter_bad(void) {
    forget(fresh()); //~ memory-leak
    //?^ false dropped-result: the callee has it, and loses it when it ends
}

void assigned_result_bad(void) {
    struct cell *cell = fresh(); //~ memory-leak "cell"
    cell = fresh();              //? violated assigned-result: the first cell
    free(cell);
}

void assigned_result_ok(void) {
    struct cell *cell = fresh();
    free(cell);
    cell = fresh(); //? proved assigned-result: the first cell is released
    free(cell);
}

void dropped_result_bad(void) {
    fresh(); //~ memory-leak
    //?^ violated dropped-result: the result
}

static struct cell *kept(void) {
    struct cell *cell = calloc(1, sizeof *cell);
    if (cell == NULL)
        return NULL;
    cell->next = shelf;
    shelf = cell;
    return cell;
}

void dropped_result_ok(void) {
    kept(); //? proved dropped-result: a global refers to it
}
