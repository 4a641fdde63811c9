// The last `return` and the closing brace on one line: the exit that loses is told where it stands.
#include "stubs.h"

int one_line_bad(int n) {
    char *p = malloc(4); //~ memory-leak "`p` leaks on some paths"
    if (n)
        return 1; //~ note "returns without freeing `p`"
    free(p); return 0; }

int early_and_late_bad(int n) {
    char *p = malloc(4); //~ memory-leak "p"
    if (n == 1) return 1; //~ note "returns without freeing `p`"
    if (n == 2) { free(p); return 2; }
    return 0; } //~ note "returns without freeing `p`"

int single_return_bad(int n) {
    char *p = malloc(4); //~ memory-leak "p"
    if (n)
        free(p);
    return n; } //~ note "returns without freeing `p`"
