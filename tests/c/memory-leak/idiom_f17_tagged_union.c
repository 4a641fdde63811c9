// A union in a struct: a tag says which member is alive.
#include "stubs.h"

struct cell { enum { EMPTY, NUMBER, TEXT } tag; union { double number; char *text; struct { char *text; int used; } buffer; } u; };

static void cell_clear(struct cell *cell) {
    if (cell->tag == TEXT)
        free(cell->u.text);
    cell->tag = EMPTY;
}

void cell_set_text_ok(struct cell *cell, const char *text) {
    cell_clear(cell);
    cell->tag = TEXT, cell->u.text = strdup(text);
}

double local_cell_ok(const char *text) {
    struct cell cell = { .tag = TEXT, .u.text = strdup(text) };
    cell_clear(&cell);
    cell.u.number = 2.5;
    return cell.u.number;
}

double number_over_text_bad(const char *text) {
    struct cell cell = { .tag = TEXT };
    cell.u.text = strdup(text);    //~ memory-leak
    cell.u.number = 2.5;
    cell.tag = NUMBER;
    return cell.u.number;
}
