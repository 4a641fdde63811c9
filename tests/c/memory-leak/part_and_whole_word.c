// What begins with a part of a word may be the whole word; what begins otherwise is not.
#include "stubs.h"

int part_then_whole_bad(const char *word) {
    char *plan = NULL;
    if (strncmp(word, "in", 2) == 0)
        plan = strdup("short");    //~ miss(path) memory-leak "plan": a run takes the part for the whole text
    if (strncmp(word, "inner", 5) == 0)
        plan = strdup("long");
    puts(plan ? plan : "");
    free(plan);
    return 0;
}

int part_then_other_ok(const char *word) {
    char *plan = NULL;
    if (strncmp(word, "in", 2) == 0)
        plan = strdup("short");
    if (strncmp(word, "outer", 5) == 0)
        plan = strdup("long");
    puts(plan ? plan : "");
    free(plan);
    return 0;
}

// The end of a text is compared as well.
int whole_then_longer_ok(const char *word) {
    char *plan = NULL;
    if (strcmp(word, "in") == 0)
        plan = strdup("short");
    if (strncmp(word, "inner", 5) == 0)
        plan = strdup("long");
    puts(plan ? plan : "");
    free(plan);
    return 0;
}

int bytes_then_more_bad(const unsigned char head[4]) {
    char *plan = NULL;
    if (memcmp(head, "PK", 2) == 0)
        plan = strdup("short");    //~ memory-leak "plan"
    if (memcmp(head, "PK\3\4", 4) == 0)
        plan = strdup("long");
    puts(plan ? plan : "");
    free(plan);
    return 0;
}
