// Globals that nothing here sets: a switch stays off, a count is set by others.
#include "stubs.h"

int tracing;
int level = 2;
int row_count;
static int private_count;

void switch_is_off_ok(void) {
    char *text = malloc(8);
    if (tracing)
        return;
    free(text);
}

void level_is_known_ok(void) {
    char *text = malloc(8);
    if (level > 3)
        return;
    free(text);
}

int look(int row);

void rows_are_counted_bad(void) {
    char *text = malloc(8);    //~ memory-leak "text"
    for (int row = 0; row < row_count; row++)
        if (look(row))
            return;
    free(text);
}

void no_rows_of_our_own_ok(void) {
    char *text = malloc(8);
    for (int row = 0; row < private_count; row++)
        if (look(row))
            return;
    free(text);
}
