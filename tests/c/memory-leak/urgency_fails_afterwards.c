// What fails only after the loss is not needed for it.
#include "stubs.h"

void use_text(char *text);

void overwritten_before_a_test_bad(int first, int second) {
    char *text = NULL;
    if (first)
        text = malloc(3);    //~ memory-leak
                             //~^ urgency ordinary
    if (second)
        text = malloc(4);
    if (text)
        use_text(text);
    free(text);
}

int lost_where_memory_runs_out_bad(void) {
    char *left = malloc(8);    //~ memory-leak
                               //~^ urgency memory-runs-out
    if (!left)
        return -1;
    char *right = malloc(9);
    if (!right)
        return -1;
    free(left);
    free(right);
    return 0;
}

int lost_where_a_call_fails_bad(const char *name) {
    char *text = malloc(8);    //~ memory-leak
                               //~^ urgency error-handling
    if (!text)
        return -1;
    FILE *file = fopen(name, "r");
    if (!file)
        return -1;
    free(text);
    fclose(file);
    return 0;
}
