// The plain ways to lose a block, one function each, and the place where it is lost.
#include "stubs.h"

struct holder {
    char *text;
};

void never_released_bad(void) {
    char *block = malloc(8);    //~ memory-leak "`block` leaks: it is never freed"
    if (block)                  //~ note "`block` is not NULL"
        block[0] = 'x';
}    //~ note "returns without freeing `block`: it leaks"

void released_on_some_paths_bad(const char *name, int keep) {
    char *copy = strdup(name);    //~ memory-leak "`copy` leaks on some paths"
    if (!copy)
        return;
    if (!keep)     //~ note "`keep` is 0"
        return;    //~ note "returns without freeing `copy`: it leaks"
    free(copy);
}

int lost_by_several_exits_bad(const char *name, int kind) {
    char *copy = strdup(name);    //~ memory-leak "`copy` leaks on some paths"
    if (!copy)
        return -1;
    if (kind == 1)
        return -2;    //~ note "returns without freeing `copy`"
    switch (kind) {
    case 2:
        return -3;    //~ note "returns without freeing `copy`"
    case 3:
        break;
    default:
        if (name[0] == '#')    //~ note "`name[0] == '#'` is true"
            return -4;         //~ note "returns without freeing `copy`"
    }
    free(copy);
    return 0;
}

void overwritten_bad(const char *first, const char *second) {
    char *copy = strdup(first);    //~ memory-leak "`copy` leaks: the last reference to it is overwritten"
    if (!copy)
        return;
    copy = strdup(second);    //~ note "`copy`, the last reference to it, is overwritten here: it leaks"
    free(copy);
}

void member_overwritten_bad(struct holder *other) {
    struct holder holder;
    holder.text = malloc(8);    //~ memory-leak "`holder.text` leaks: the last reference to it is overwritten"
    holder = *other;            //~ note "is overwritten here"
    puts(holder.text);
}

void overwritten_by_the_next_turn_bad(char **words) {
    char *copy = NULL;
    for (int i = 0; i < 3; i++)
        copy = strdup(words[i]);    //~ memory-leak "copy"
    free(copy);
}

void lost_with_its_owner_bad(const char *name) {
    struct holder *holder = malloc(sizeof *holder);
    if (!holder)
        return;
    holder->text = strdup(name);    //~ memory-leak "`holder->text` leaks: `lost_with_its_owner_bad` frees `holder` but not `text`"
    free(holder);    //~ note "`free` frees `holder`, which holds the last reference to it: it leaks"
}

static void holder_free(struct holder *holder) { free(holder); }

void lost_with_its_owner_by_callee_bad(const char *name) {
    struct holder *holder = malloc(sizeof *holder);
    if (!holder)
        return;
    holder->text = strdup(name);    //~ memory-leak "`holder->text` leaks: `lost_with_its_owner_by_callee_bad` frees `holder` but not `text`"
    puts("done");
    holder_free(holder);    //~ note "frees `holder`"
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
