// Blocks are stored through an out-parameter that is itself an array of pointers.
#include "stubs.h"

struct result {
    char *columns[4];
    int used;
};

int array_allocated_for_caller_ok(char ***arguments) {
    *arguments = calloc(3, sizeof **arguments);
    if (!*arguments)
        return -1;
    (*arguments)[0] = malloc(8);
    if (!(*arguments)[0]) {
        free(*arguments);
        *arguments = NULL;
        return -1;
    }
    (*arguments)[1] = strdup("second");
    return 0;
}

void array_of_caller_filled_ok(char *(*arguments)[4]) {
    (*arguments)[0] = malloc(8);
    (*arguments)[1] = strdup("second");
}

void elements_of_parameter_ok(char **slots, const char *text) {
    slots[0] = strdup(text);
    *(slots + 1) = strdup(text);
}

void element_at_index_ok(struct result *result, const char *text) {
    if (result->used < 0 || result->used >= 4)
        return;
    result->columns[result->used++] = strdup(text);
}

int replaced_after_release_ok(char *(*arguments)[4], const char *text) {
    (*arguments)[0] = malloc(8);
    if (!(*arguments)[0])
        return -1;
    free((*arguments)[0]);
    (*arguments)[0] = strdup(text);
    return 0;
}

void overwritten_with_null_bad(char *(*arguments)[4]) {
    (*arguments)[0] = malloc(8);    //~ memory-leak
    (*arguments)[1] = strdup("second");
    (*arguments)[0] = NULL;
}

void overwritten_with_another_bad(char ***arguments, const char *text) {
    (*arguments)[0] = strdup(text);    //~ memory-leak
    if (!(*arguments)[0])
        return;
    (*arguments)[0] = strdup("again");
}

void column_overwritten_bad(struct result *result, const char *text) {
    result->columns[2] = strdup(text);    //~ memory-leak
    result->columns[2] = strdup(text);
    result->used = 3;
}
