//@ flags: --engine flow
// A function of the library is given a structure and releases what lies in it.
#include "stubs.h"

typedef struct {
    size_t gl_pathc;
    char **gl_pathv;
    size_t gl_offs;
    int gl_flags;
} glob_t;

int glob(const char *pattern, int flags, int (*failed)(const char *, int), glob_t *found);
void globfree(glob_t *found);

int count_matches_ok(const char *pattern) {
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    int count = (int)found.gl_pathc;
    globfree(&found);
    return count;
}

int first_match_bad(const char *pattern) {
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)    //~ resource-leak
        return 0;
    if (found.gl_pathc == 0)
        return -1;
    puts(found.gl_pathv[0]);
    globfree(&found);
    return 1;
}
