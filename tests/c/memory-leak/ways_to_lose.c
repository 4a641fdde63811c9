// The plain ways to lose a block, one function each, and the place where it is lost.
#include "stubs.h"

struct holder {
    char *text;
};

void never_released_bad(void) {
    char *block = malloc(8);    //~ memory-leak "block"
    if (block)
        block[0] = 'x';
}

void released_on_some_paths_bad(const char *name, int keep) {
    char *copy = strdup(name);    //~ memory-leak "copy"
    if (!copy)
        return;
    if (!keep)
        return;    //~ note "lost"
    free(copy);
}

void overwritten_bad(const char *first, const char *second) {
    char *copy = strdup(first);    //~ memory-leak "copy"
    if (!copy)
        return;
    copy = strdup(second);    //~ note "lost"
    free(copy);
}

void lost_with_its_owner_bad(const char *name) {
    struct holder *holder = malloc(sizeof *holder);
    if (!holder)
        return;
    holder->text = strdup(name);    //~ memory-leak "holder->text"
    free(holder);    //~ miss(path) note "lost": the loss is told at the end of the function, not where the owner is freed
}

void released_everywhere_ok(const char *name, int keep) {
    char *copy = strdup(name);
    if (!copy)
        return;
    if (!keep) {
        free(copy);
        return;
    }
    free(copy);
}

char *overwritten_after_release_ok(const char *first, const char *second) {
    char *copy = strdup(first);
    free(copy);
    copy = strdup(second);
    return copy;
}

void owner_released_last_ok(const char *name) {
    struct holder *holder = malloc(sizeof *holder);
    if (!holder)
        return;
    holder->text = strdup(name);
    free(holder->text);
    free(holder);
}
