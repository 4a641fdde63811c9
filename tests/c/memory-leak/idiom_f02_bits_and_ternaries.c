// The same condition said in other words: bit-fields, ternaries, and negations.
#include "stubs.h"

struct options { unsigned verbose : 1, level : 3, owned : 1; };

void bit_field_ok(struct options options, const char *text) {
    char *copy = options.owned ? strdup(text) : (char *)text;
    if (options.level > 2)
        puts(copy);
    if (options.owned)
        free(copy);
}

void comma_and_negation_ok(int n) {
    char *block = (n >= 4) ? malloc(n) : NULL;
    int small;
    small = (putchar('x'), !(n > 3));
    if (!small)
        free(block);
}

void other_bit_bad(struct options options, const char *text) {
    char *copy = options.owned ? strdup(text) : (char *)text;    //~ memory-leak "copy"
    puts(copy ? copy : "");
    if (options.verbose)
        options.owned ? free(copy) : (void)0;
}
