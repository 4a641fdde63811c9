//@ flags: --rules all
// The variables of main that are in scope at its end hold what they hold; those of an iteration are gone.
#include "stubs.h"

struct pair {
    char *first;
    char *second;
};

static int pair_fill(struct pair *pair, const char *text) {
    pair->first = strdup(text);
    pair->second = NULL;
    return pair->first ? 0 : -1;
}

static void read_text(char **out) {
    *out = malloc(80);
}

int main(int argc, char **argv) {
    struct pair pair;
    if (pair_fill(&pair, argv[0]) < 0)    //~ leak-at-exit
        return 1;
    char *text;
    read_text(&text);    //~ leak-at-exit
    struct pair *owner = malloc(sizeof *owner);    //~ leak-at-exit "owner"
    if (!owner)
        return 2;
    owner->first = strdup(argv[0]);    //~ leak-at-exit "owner->first"
    owner->second = NULL;
    for (int i = 1; i < argc; i++) {
        struct pair *each = calloc(1, sizeof *each);    //~ memory-leak "each"
        if (!each)
            break;
        each->first = argv[i];
    }
    for (int i = 1; i < argc; i++) {
        char *found = strdup(argv[i]);    //~ leak-at-exit "found"
        if (!found)
            continue;
        if (found[0] == '-')
            return 3;
        free(found);
    }
    char *last = NULL;
    for (int i = 1; i < argc; i++) {
        free(last);
        last = strdup(argv[i]);    //~ leak-at-exit "last"
    }
    char *replaced = strdup(argv[0]);    //~ memory-leak "replaced"
    if (argc > 3)
        replaced = NULL;
    exit(0);
}
