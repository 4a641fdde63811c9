// Blocks are put into an array that the caller handed in or gets back.
#include "stubs.h"

int two_words_ok(char ***words) {
    *words = calloc(3, sizeof(char *));
    if (*words == NULL)
        return -1;
    (*words)[0] = strdup("alpha");
    (*words)[1] = strdup("beta");
    return 2;
}

void into_given_array_ok(char *slots[4], const char *text) {
    slots[0] = strdup(text);
    slots[3] = strdup(text);
}

int matrix_ok(double **rows, unsigned int count, unsigned int width) {
    for (unsigned int i = 0; i < count; i++) {
        rows[i] = malloc(width * sizeof **rows);
        if (!rows[i]) {
            while (i-- > 0)
                free(rows[i]);
            return -1;
        }
    }
    return 0;
}

void overwritten_in_array_bad(char *slots[4], const char *text) {
    slots[1] = strdup(text);    //~ memory-leak "slots[1]"
    slots[1] = NULL;
}

int array_replaced_bad(char ***words) {
    *words = calloc(3, sizeof(char *));
    if (!*words)
        return -1;
    (*words)[0] = strdup("alpha");    //~ memory-leak
    (*words)[0] = "gamma";
    return 1;
}
