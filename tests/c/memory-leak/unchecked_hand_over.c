// Who may not take what it is given, and is not asked, loses it: the call that fails is a step. What is looked for and not found is no failure.
#include "stubs.h"

static void *run(void *number) {
    free(number);
    return 0;
}

void start_bad(void) {
    pthread_t thread;
    int *number = malloc(sizeof *number); //~ memory-leak "number"
    if (!number)
        return;
    *number = 1;
    pthread_create(&thread, 0, run, number); //~ note "`pthread_create` fails here"
}

void start_ok(void) {
    pthread_t thread;
    int *number = malloc(sizeof *number);
    if (!number)
        return;
    *number = 1;
    if (pthread_create(&thread, 0, run, number) != 0)
        free(number);
}

// The helper of an earlier iteration has nothing to do with it.
void start_many_bad(int count) {
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        int *number = malloc(sizeof *number); //~ memory-leak "number"
        if (!number)
            return;
        *number = i;
        pthread_create(&thread, 0, run, number); //~ note "`pthread_create` fails here"
    }
}

size_t name_bad(const char *line) {
    char *copy = strdup(line); //~ memory-leak "copy"
    //~^ urgency ordinary
    if (!copy)
        return 0;
    char *colon = strchr(copy, ':');
    if (colon)
        *colon = 0;
    return strlen(copy);
}
