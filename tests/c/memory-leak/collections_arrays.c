// Arrays of blocks: filled and released upwards, downwards, by pointer, up to a NULL, and by a count that a callee gives.
#include "stubs.h"

static char *text(void) {
    char *made = malloc(8);
    if (!made)
        exit(1);
    made[0] = 0;
    return made;
}

static char **row(int n) {
    char **made = calloc(n + 1, sizeof *made);
    if (!made)
        exit(1);
    return made;
}

int up_ok(int n) {
    char **v = row(n);
    for (int i = 0; i < n; i++)
        v[i] = text();
    for (int i = 0; i < n; i++)
        free(v[i]);
    free(v);
    return 0;
}

int up_bad(int n) {
    char **v = row(n);
    for (int i = 0; i < n; i++)
        v[i] = text();    //~ memory-leak
    free(v);
    return 0;
}

int down_ok(int n) {
    char **v = row(n);
    for (int i = 0; i < n; i++)
        v[i] = text();
    while (n-- > 0)
        free(v[n]);
    free(v);
    return 0;
}

int down_bad(int n) {
    char **v = row(n);
    for (int i = n - 1; i >= 0; i--)
        v[i] = text();    //~ memory-leak
    v[0] = NULL;
    free(v);
    return 0;
}

int by_pointer_ok(int n) {
    char **v = row(n), **end = v + n;
    for (char **p = v; p < end; p++)
        *p = text();
    for (char **p = v; p != end; ++p)
        free(*p);
    free(v);
    return 0;
}

int by_pointer_bad(int n) {
    char **v = row(n), **end = v + n;    //~ memory-leak
    for (char **p = v; p < end; p++)
        *p = text();
    for (char **p = v; p != end; ++p)
        free(*p);
    return 0;
}

static void words_free(char **words) {
    for (char **p = words; *p; p++)
        free(*p);
    free(words);
}

static char **words_new(int n) {
    char **words = row(n);
    for (int i = 0; i < n; i++)
        words[i] = text();
    words[n] = NULL;
    return words;
}

int up_to_null_ok(int n) {
    char **words = words_new(n);
    words_free(words);
    return 0;
}

int up_to_null_bad(int n) {
    char **words = words_new(n);    //~ memory-leak
    if (n > 3)
        return 1;
    words_free(words);
    return 0;
}

static int fill(char **v, int most) {
    int count = 0;
    while (count < most) {
        v[count] = text();
        count++;
    }
    return count;
}

int count_of_callee_ok(int n) {
    char *v[8];
    int count = fill(v, n < 8 ? n : 8);
    for (int i = 0; i < count; i++)
        free(v[i]);
    return 0;
}

int by_hand_ok(int n) {
    char *v[3];
    v[0] = text();
    v[1] = text();
    v[2] = text();
    for (int i = 0; i < 3; i++)
        free(v[i]);
    return n;
}

int by_hand_bad(int n) {
    char *v[3];
    v[0] = text();
    v[1] = text();
    v[2] = text();    //~ memory-leak
    for (int i = 0; i < 2; i++)
        free(v[i]);
    return n;
}

int grid_ok(int n) {
    char *grid[2][3];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            grid[i][j] = text();
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            free(grid[i][j]);
    return n;
}

// A failure in the middle releases what is there already.
int unwound_ok(int n) {
    char **v = row(n);
    for (int i = 0; i < n; i++) {
        v[i] = malloc(4);
        if (!v[i]) {
            while (--i >= 0)
                free(v[i]);
            free(v);
            return -1;
        }
    }
    for (int i = 0; i < n; i++)
        free(v[i]);
    free(v);
    return 0;
}

int unwound_bad(int n) {
    char **v = row(n);    //~ memory-leak
    for (int i = 0; i < n; i++) {
        v[i] = malloc(4);
        if (!v[i]) {
            while (--i >= 0)
                free(v[i]);
            return -1;
        }
    }
    for (int i = 0; i < n; i++)
        free(v[i]);
    free(v);
    return 0;
}
