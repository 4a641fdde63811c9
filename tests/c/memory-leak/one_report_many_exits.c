// One allocation that is lost on several ways out is one defect.
#include "stubs.h"

int several_exits_bad(const char *text, int kind) {
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (kind == 1)
        return 1;
    if (kind == 2)
        return 2;
    switch (kind) {
    case 3:
        return 3;
    case 4:
        free(copy);
        return 4;
    default:
        break;
    }
    if (copy[0] == '#')
        return 5;
    free(copy);
    return 0;
}

int several_exits_ok(const char *text, int kind) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (kind == 1) {
        free(copy);
        return 1;
    }
    switch (kind) {
    case 3:
        free(copy);
        return 3;
    case 4:
        free(copy);
        return 4;
    default:
        break;
    }
    free(copy);
    return 0;
}

int two_allocations_are_two_defects_bad(const char *text) {
    char *first = strdup(text);     //~ memory-leak "first"
    char *second = strdup(text);    //~ memory-leak "second"
    return first && second;
}
