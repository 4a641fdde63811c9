// A block is carried around a loop.
#include "stubs.h"

char *best_of_ok(char *const *names, int count) {
    char *best = NULL;
    for (int i = 0; i < count; i++) {
        char *copy = strdup(names[i]);
        if (!copy)
            continue;
        if (!best || strlen(copy) > strlen(best)) {
            free(best);
            best = copy;
        } else {
            free(copy);
        }
    }
    return best;
}

int previous_and_current_ok(int rounds) {
    int *previous = NULL;
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        int *current = malloc(sizeof *current);
        if (!current)
            break;
        *current = i;
        if (previous)
            sum += *previous;
        free(previous);
        previous = current;
    }
    free(previous);
    return sum;
}

char *expand_ok(char *text) {
    for (;;) {
        char *at = strchr(text, '%');
        if (!at)
            return text;
        char *next = malloc(strlen(text) + 10);
        if (!next)
            return text;
        strcpy(next, text);
        free(text);
        text = next;
    }
}

char *best_of_bad(char *const *names, int count) {
    char *best = NULL;
    for (int i = 0; i < count; i++) {
        char *copy = strdup(names[i]);    //~ memory-leak
        if (!copy)
            continue;
        if (!best || strlen(copy) > strlen(best)) {
            best = copy;
        } else {
            free(copy);
        }
    }
    return best;
}

int first_round_only_bad(int rounds) {
    int *number = NULL;
    while (rounds-- > 0) {
        number = malloc(sizeof *number);    //~ memory-leak "number"
        if (!number)
            return -1;
        *number = rounds;
    }
    free(number);
    return 0;
}
