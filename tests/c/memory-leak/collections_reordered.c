// Lists that functions turn round, merge, sort, split and move; released by the right end and by a wrong one.
#include "stubs.h"

struct cell { int value; struct cell *rest; };

static struct cell *cell_new(int value, struct cell *rest) {
    struct cell *made = malloc(sizeof *made);
    if (!made)
        exit(1);
    made->value = value;
    made->rest = rest;
    return made;
}

static void cells_free(struct cell *cells) {
    while (cells) {
        struct cell *rest = cells->rest;
        free(cells);
        cells = rest;
    }
}

static struct cell *turned(struct cell *cells) {
    struct cell *done = NULL, *rest;
    for (; cells; cells = rest) {
        rest = cells->rest;
        cells->rest = done;
        done = cells;
    }
    return done;
}

static void turn(struct cell **cells) {
    struct cell *done = NULL;
    while (*cells) {
        struct cell *first = *cells;
        *cells = first->rest;
        first->rest = done;
        done = first;
    }
    *cells = done;
}

int turned_ok(int n) {
    struct cell *cells = cell_new(1, NULL);
    cells->rest = cell_new(2, NULL);
    cells->rest->rest = cell_new(3, NULL);
    cells = turned(cells);
    cells_free(cells);
    return n;
}

int turned_bad(int n) {
    struct cell *cells = cell_new(1, NULL);
    cells->rest = cell_new(2, NULL);          //~ memory-leak
    cells->rest->rest = cell_new(3, NULL);    //~ memory-leak
    turned(cells);
    cells_free(cells);
    return n;
}

int turned_in_place_ok(int n) {
    struct cell *cells = cell_new(1, NULL);
    cells->rest = cell_new(2, NULL);
    turn(&cells);
    cells_free(cells);
    return n;
}

int turned_in_place_bad(int n) {
    struct cell *cells = cell_new(1, NULL), *first = cells;
    cells->rest = cell_new(2, NULL);    //~ memory-leak
    turn(&cells);
    cells_free(first);
    return n;
}

static struct cell *built(int n) {
    struct cell *cells = NULL;
    while (n-- > 0)
        cells = cell_new(n, cells);
    return cells;
}

int built_and_turned_ok(int n) {
    struct cell *cells = built(n);
    cells = turned(cells);
    cells_free(cells);
    return 0;
}

int built_and_turned_bad(int n) {
    struct cell *cells = built(n);    //~ memory-leak
    turned(cells);
    cells_free(cells);
    return 0;
}

static struct cell *merged(struct cell *a, struct cell *b) {
    struct cell start = { 0, NULL }, *end = &start;
    while (a && b) {
        struct cell **least = a->value < b->value ? &a : &b;
        end->rest = *least;
        end = *least;
        *least = (*least)->rest;
    }
    end->rest = a ? a : b;
    return start.rest;
}

int merged_ok(int n) {
    struct cell *a = cell_new(1, NULL), *b = cell_new(2, NULL);
    cells_free(merged(a, b));
    return n;
}

int merged_bad(int n) {
    struct cell *a = cell_new(1, NULL);
    struct cell *b = cell_new(2, NULL);    //~ memory-leak
    merged(b, a);
    free(a);
    return n;
}

static struct cell *inserted(struct cell *cells, struct cell *one) {
    struct cell **at = &cells;
    while (*at && (*at)->value < one->value)
        at = &(*at)->rest;
    one->rest = *at;
    *at = one;
    return cells;
}

int inserted_ok(int n) {
    struct cell *cells = cell_new(5, NULL);
    cells = inserted(cells, cell_new(n, NULL));
    cells = inserted(cells, cell_new(3, NULL));
    cells_free(cells);
    return n;
}

// The new first one is not taken.
int inserted_bad(int n) {
    struct cell *cells = cell_new(5, NULL);
    struct cell *one = cell_new(3, NULL);    //~ memory-leak
    inserted(cells, one);
    cells_free(cells);
    return n;
}

static struct cell *sorted(struct cell *cells) {
    struct cell *done = NULL;
    while (cells) {
        struct cell *one = cells, **at = &done;
        cells = cells->rest;
        while (*at && (*at)->value < one->value)
            at = &(*at)->rest;
        one->rest = *at;
        *at = one;
    }
    return done;
}

int sorted_ok(int n) {
    struct cell *cells = cell_new(3, NULL);
    cells->rest = cell_new(2, NULL);
    cells = sorted(cells);
    cells_free(cells);
    return n;
}

int sorted_bad(int n) {
    struct cell *cells = cell_new(3, NULL);
    cells->rest = cell_new(2, NULL);    //~ memory-leak
    sorted(cells);
    cells_free(cells);
    return n;
}

static struct cell *joined(struct cell *a, struct cell *b) {
    if (!a)
        return b;
    struct cell *end = a;
    while (end->rest)
        end = end->rest;
    end->rest = b;
    return a;
}

int joined_ok(int n) {
    struct cell *cells = joined(built(n), built(2));
    cells_free(cells);
    return 0;
}

static struct cell *split(struct cell *cells, int count) {
    while (--count > 0 && cells)
        cells = cells->rest;
    if (!cells)
        return NULL;
    struct cell *behind = cells->rest;
    cells->rest = NULL;
    return behind;
}

int split_ok(int n) {
    struct cell *cells = cell_new(1, NULL);
    cells->rest = cell_new(2, NULL);
    struct cell *behind = split(cells, 1);
    cells_free(behind);
    cells_free(cells);
    return n;
}

int split_bad(int n) {
    struct cell *cells = cell_new(1, NULL);
    cells->rest = cell_new(2, NULL);    //~ memory-leak
    split(cells, 1);
    cells_free(cells);
    return n;
}

struct two { struct two *prev, *next; };

static struct two *two_turned(struct two *list) {
    struct two *first = list;
    while (list) {
        struct two *next = list->next;
        list->next = list->prev;
        list->prev = next;
        first = list;
        list = next;
    }
    return first;
}

static struct two *two_new(struct two *prev) {
    struct two *made = calloc(1, sizeof *made);
    if (!made)
        exit(1);
    made->prev = prev;
    if (prev)
        prev->next = made;
    return made;
}

static void two_free(struct two *list) {
    struct two *next;
    do {
        next = list->next;
        free(list);
        list = next;
    } while (next);
}

int doubly_turned_ok(int n) {
    struct two *list = two_new(NULL);
    two_new(list);
    list = two_turned(list);
    two_free(list);
    return n;
}

int doubly_turned_bad(int n) {
    struct two *list = two_new(NULL);
    two_new(list);    //~ memory-leak
    two_turned(list);
    two_free(list);
    return n;
}
