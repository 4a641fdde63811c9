// Where the function has asked what an index is, a store there overwrites that element on those paths, and what it held
// is lost. Where it has not, nobody knows which element it is.
#include "stubs.h"

// With no rows the loop is not entered, and the mark at the end takes the place of the only block.
void **rows_bad(size_t rows, size_t bytes) {
    void **table = malloc((rows + 1) * sizeof *table);
    if (!table)
        abort();
    table[0] = malloc(rows * bytes + 1);    //~ memory-leak
    if (!table[0])
        abort();
    for (size_t i = 1; i <= rows; i++)
        table[i] = (char *)table[i - 1] + bytes;
    table[rows] = NULL;
    return table;
}

char **words_bad(unsigned count, const char *first) {
    char **words = calloc(count + 1, sizeof *words);
    if (!words)
        return NULL;
    words[0] = strdup(first);    //~ memory-leak
    if (count == 0)
        puts("no words");
    words[count] = NULL;
    return words;
}

// The usual way to make a list of arguments: there is always one, and the loop does not say how many.
char **arguments_ok(int count, char **from) {
    char **arguments = malloc((count + 1) * sizeof *arguments);
    if (!arguments)
        return NULL;
    arguments[0] = strdup("program");
    for (int i = 1; i < count; i++)
        arguments[i] = strdup(from[i]);
    arguments[count] = NULL;
    return arguments;
}

char **copies_ok(size_t count, char **from) {
    char **copies = malloc((count + 1) * sizeof *copies);
    if (!copies)
        return NULL;
    for (size_t i = 0; i != count; i++)
        copies[i] = strdup(from[i]);
    copies[count] = NULL;
    return copies;
}

char **released_before_ok(unsigned count, const char *first) {
    char **words = calloc(count + 1, sizeof *words);
    if (!words)
        return NULL;
    words[0] = strdup(first);
    if (count == 0)
        free(words[0]);
    words[count] = NULL;
    return words;
}

void variable_array_ok(unsigned used, const char *text) {
    char *slots[4] = { strdup(text), NULL, NULL, NULL };
    if (used == 0 || used > 3) {
        free(slots[0]);
        return;
    }
    slots[used] = NULL;
    free(slots[0]);
}
