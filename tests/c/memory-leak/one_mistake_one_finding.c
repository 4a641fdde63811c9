// What one variable holds and one exit forgets is one mistake, wherever it was allocated; other variables and other exits are others.
#include "stubs.h"

int either_source_bad(const char *text, int fold) {
    char *copy;
    if (fold)
        copy = strdup(text);    //~ memory-leak "copy"
    else
        copy = malloc(8);    //~ note "leaks in the same way"
    if (!copy)
        return -1;
    if (*text == 'x')
        return 1;
    free(copy);
    return 0;
}

char *chosen_by_number_bad(int number, int wanted) {
    char *made;
    switch (number) {
    case 1:
        made = malloc(1);    //~ memory-leak "made"
        break;
    case 2:
        made = malloc(2);    //~ note "leaks in the same way"
        break;
    default:
        made = malloc(3);    //~ note "leaks in the same way"
    }
    if (!wanted)
        return NULL;
    return made;
}

int two_variables_bad(const char *text, int early) {
    char *one = strdup(text);    //~ memory-leak "one"
    char *two = strdup(text);    //~ memory-leak "two"
    if (early)
        return 1;
    free(one);
    free(two);
    return 0;
}

int two_exits_bad(const char *text, int early) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (early)
        return 1;
    free(copy);
    copy = strdup(text + 1);    //~ memory-leak "copy"
    if (*text == 'x')
        return 2;
    free(copy);
    return 0;
}

int either_source_ok(const char *text, int fold) {
    char *copy;
    if (fold)
        copy = strdup(text);
    else
        copy = malloc(8);
    free(copy);
    return 0;
}
