// Allocators of the program that are not in sight, known by their names and parameters.
#include "stubs.h"

void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *safe_strdup(const char *text);
void *safe_malloc(size_t size);
char *pool_strdup(const char *text);
char *intern(const char *text);

int zeros_bad(int n) {
    int *zeros = xcalloc(n, sizeof *zeros);    //~ memory-leak "`zeros`"
    return n > 0 ? zeros[n - 1] : 0;
}

int grown_bad(char *old, int n) {
    char *all = xrealloc(old, n);    //~ memory-leak "`all`"
    if (n > 10)
        return 1;
    free(all);
    return 0;
}

// The family is known by one of its members.
int copied_ok(const char *text) {
    char *copy = safe_strdup(text);
    int first = copy[0];
    free(copy);
    return first;
}

int made_bad(int n) {
    char *line = safe_malloc(n);    //~ memory-leak "`line`"
    memset(line, 0, n);
    return line[0];
}

// A pool keeps what it gives, and so does a table of names.
int pooled_ok(const char *text) {
    return pool_strdup(text)[0];
}

int interned_ok(const char *text) {
    return intern(text)[0];
}
