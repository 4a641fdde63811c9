// C that is not in the paper's language: unions, casts, arrays, addresses of fields, copies of structs, calls through pointers. Nothing
// here may be proved by overlooking it.
#include "stubs.h"

struct cell {
    int data;
    struct cell *next;
};

struct pair {
    struct cell *left;
    struct cell *right;
};

union slot {
    struct cell *cell;
    long number;
};

struct box {
    int count;
    struct cell *items[3];
};

// The link of one cell is written through its address.
struct cell *through_field_address(struct cell *list) {
    struct cell **link;
    struct cell *rest;
    if (list == NULL)
        return NULL;
    rest = list->next;
    link = &rest;
    *link = NULL; //? proved assignment: the link of the list still refers to it
    link = &list->next;
    *link = NULL; //? violated assignment: the last reference
    return rest;
}

// A union member of another type takes the place of the pointer.
void through_union_bad(void) {
    union slot slot;
    slot.cell = malloc(sizeof *slot.cell); //~ memory-leak "slot"
    slot.number = 7;                       //? unknown assignment: the cell; what a union holds is not known
} //? false scope: what a union holds is not known

// So does a write of another type.
void through_cast_bad(void) {
    struct cell *cell = malloc(sizeof *cell); //~ memory-leak "cell"
    *(long *)&cell = 7;                       //? violated assignment: the cell, by a cast
} //? false scope: what was written by a cast is not known

// A pointer is kept as a number.
long kept_as_number(void) {
    struct cell *cell = malloc(sizeof *cell);
    long number = (long)cell; //? false assignment: what was a reference there before is not known
    cell = NULL; //? false assignment: the number is a reference, too, but not to the engine
    return number; //? false scope: that the number is returned is not seen
}

// A copy of a struct overwrites every pointer in it.
void copied_over(struct pair *to, struct pair *from) {
    if (to != NULL && from != NULL)
        *to = *from; //? violated assignment: both pointers that were there
}

void moved_over(struct pair *to, const struct pair *from) {
    if (to != NULL && from != NULL)
        memcpy(to, from, sizeof *to); //? violated assignment: both pointers that were there
}

void cleared(struct pair *pair) {
    if (pair != NULL)
        memset(pair, 0, sizeof *pair); //? violated assignment: both pointers
}

// A copy keeps what the original loses.
struct pair copied_out(struct pair *pair) {
    struct pair copy = {NULL, NULL};
    if (pair != NULL)
        copy = *pair;
    if (pair != NULL)
        pair->left = NULL; //? proved assignment: the copy refers to it
    return copy; //? false scope: that a struct is returned whole is not seen
}

// Elements of an array are different places.
void elements(struct box *box, int which) {
    if (box == NULL || which < 0 || which > 2)
        return;
    box->items[which] = NULL; //? violated assignment: the element
}

struct cell *element_is_kept(struct box *box) {
    struct cell *kept;
    if (box == NULL)
        return NULL;
    kept = box->items[1];
    box->items[1] = NULL; //? proved assignment: `kept` refers to it
    return kept;
}

struct cell *another_element_is_kept(struct box *box) {
    struct cell *kept;
    if (box == NULL)
        return NULL;
    kept = box->items[1];
    box->items[2] = NULL; //? violated assignment: it is the other that is kept
    return kept;
}

// The function called is not known here.
struct cell *(*chosen)(struct cell *);

static struct cell *drop(struct cell *cell) {
    if (cell != NULL)
        cell->data = 1;
    return NULL;
}

static struct cell *pass(struct cell *cell) {
    return cell;
}

void choose(int which) {
    if (which)
        chosen = drop;
    else
        chosen = pass;
}

void through_pointer_bad(void) {
    struct cell *(*call)(struct cell *) = drop;
    struct cell *cell = malloc(sizeof *cell); //~ memory-leak "cell"
    cell = call(cell);                        //? violated assigned-result: the cell
} //? false scope: what is called through a pointer is not known

// The old block is lost when there is no new one.
void grown_bad(void) {
    char *text = malloc(4);
    text = realloc(text, 4000); //~ realloc-lost
    //?^ violated: the old block, when it cannot grow
    free(text);
}

// A loop over a local array of pointers.
void array_of_locals_bad(int count) {
    struct cell *cells[2] = {NULL, NULL}; //? false assignment: elements are not told apart
    int i;
    for (i = 0; i < count && i < 2; i++)
        cells[i] = malloc(sizeof *cells[i]); //~ memory-leak
    //?^ false allocation: elements are not told apart
    free(cells[0]); //? false release: elements are not told apart
} //? unknown scope: the second cell

// Two names for one global.
struct cell *root;
struct cell **alias = &root;

void through_alias_bad(void) {
    root = malloc(sizeof *root); //~ memory-leak
    //?^ violated allocation: what was there
    *alias = NULL; //? violated assignment: the cell
}
