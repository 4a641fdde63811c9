// A function with many ways out has a path for each of those that lose, however late they come.
#include "stubs.h"

int answer_bad(int kind, int *table) {
    if (kind == 0)
        return 10;
    if (kind == 1)
        return 11;
    if (kind == 2)
        return 12;
    if (kind == 3)
        return 13;
    if (kind == 4)
        return 14;
    if (kind == 5)
        return 15;
    if (kind == 6)
        return 16;
    if (kind == 7)
        return 17;
    if (kind == 8)
        return 18;
    if (kind == 9)
        return 19;
    if (kind == 10)
        return 20;
    if (kind == 11)
        return 21;
    if (kind == 12)
        return 22;
    char *copy = malloc(8);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (table[0])
        return 1;    //~ note "returns without freeing `copy`"
    if (table[1])
        return 2;    //~ note "returns without freeing `copy`"
    free(copy);
    return 0;
}
