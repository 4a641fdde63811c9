// Ways into functions and out of them, and the extensions of the analysis.
#include "stubs.h"

struct cell {
    int data;
    struct cell *next;
};

// Results and arguments go through calls in both directions.
static struct cell *same(struct cell *cell) {
    return cell;
}

struct cell *result_is_argument_ok(void) {
    struct cell *cell = malloc(sizeof *cell);
    cell = same(cell); //? proved assigned-result: it is the same cell
    return cell;
}

static struct cell *none(struct cell *cell) {
    if (cell != NULL)
        cell->data = 0;
    return NULL; //? violated scope: what the caller passes and does not keep otherwise
}

void result_is_not_argument_bad(void) {
    struct cell *cell = malloc(sizeof *cell); //~ memory-leak "cell"
    cell = none(cell);                        //? violated assigned-result: the cell
    none(malloc(sizeof *cell));               //~ memory-leak
    //?^ false dropped-result: the callee has it, and loses it when it ends
}

// A local of the caller is not touched by a call.
static void work(struct cell *cell) {
    if (cell != NULL)
        cell->data++;
}

struct cell *local_is_untouched_ok(struct cell *list) {
    struct cell *rest = NULL;
    if (list == NULL)
        return NULL;
    rest = list->next;
    work(list);
    list->next = NULL; //? proved assignment: `rest` is what it was before the call
    return rest;
}

// One whose address is passed may be.
static void empty(struct cell **place) {
    *place = NULL; //? violated assignment: the only reference
}

void local_is_emptied_bad(void) {
    struct cell *cell = malloc(sizeof *cell); //~ memory-leak "cell"
    empty(&cell);
} //? false scope: that the callee emptied it is not seen

static void give(struct cell **place) {
    *place = malloc(sizeof **place); //? violated allocation: what was there
}

struct cell *filled_through_address_ok(void) {
    struct cell *cell = NULL;
    give(&cell);
    return cell;
}

void filled_twice_bad(void) {
    struct cell *cell = NULL;
    give(&cell); //~ memory-leak
    give(&cell);
    free(cell);
}

// Two instances of one function at the same time.
static int depth(struct cell *list, int most) {
    struct cell *at = list;
    if (at == NULL || most <= 0)
        return 0;
    return depth(at->next, most - 1) + 1;
} //? proved scope: the callers keep their own

int depth_ok(struct cell *list) {
    return depth(list, 9);
}

// Extension 1: a number that is written was no reference before. Extension 2: what is overwritten for certain no longer refers
// to the cell. Extension 3: what holds on one way is kept apart from what holds on the other.
struct cell *numbers_between_ok(struct cell *list, int number) {
    struct cell *rest = NULL;
    while (list != NULL && number-- > 0) {
        rest = list->next;
        list->data = number;
        list = rest;
    }
    return list;
}

struct cell *first_or_second_ok(struct cell *one, struct cell *two, int which) {
    struct cell *chosen;
    if (which)
        chosen = one;
    else
        chosen = two;
    one = NULL;
    two = NULL;
    return chosen;
}

struct cell *fresh_or_given_ok(struct cell *given) {
    struct cell *cell = given;
    if (cell == NULL)
        cell = malloc(sizeof *cell); //? proved allocation: there was none
    if (cell != given) {
        free(cell);
        return NULL;
    }
    return given;
}
