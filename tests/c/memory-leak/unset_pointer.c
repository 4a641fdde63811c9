// An address that nothing has set leads nowhere: what is stored through it is lost.
#include "stubs.h"

struct cell {
    char *text;
};

void fill(struct cell **table);

void table_never_filled_bad(int i) {
    struct cell **table = malloc(10 * sizeof *table);
    if (!table)
        return;
    table[i]->text = malloc(8);    //~ memory-leak "text"
    free(table);
}

void filled_by_others_ok(int i) {
    struct cell **table = malloc(10 * sizeof *table);
    if (!table)
        return;
    fill(table);
    table[i]->text = malloc(8);
    free(table);
}

static void set_text(struct cell **cell) {
    (*cell)->text = malloc(8);
}

// The callee would not come back if there were no cell.
void callee_writes_ok(void) {
    struct cell *cell = malloc(sizeof *cell);
    set_text(&cell);
    free(cell->text);
    free(cell);
}

void callee_writes_bad(void) {
    struct cell *cell = malloc(sizeof *cell);
    set_text(&cell);    //~ memory-leak "set_text"
    free(cell);
}
