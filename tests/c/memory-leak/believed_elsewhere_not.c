// Functions that are only declared, and of which this program does not believe that they hand anything over.
#include "stubs.h"

const char *name_of(int number);
char *text_of(int number, int *must_free);
char *either(const char *text);
void note(const char *text);

// Nobody releases it.
void show_ok(int number) {
    const char *name = name_of(number);
    puts(name);
}

// Released where the call said so.
int told_ok(int number) {
    int must_free = 0;
    char *text = text_of(number, &must_free);
    int length = (int)strlen(text);
    if (must_free)
        free(text);
    return length;
}

// It may give back what it was given.
int maybe_the_same_ok(const char *text) {
    char *other = either(text);
    int length = (int)strlen(other);
    if (other != text)
        free(other);
    return length;
}

// One of several values is released, and it is not known which.
char *fixed_name(void);

void mixed_ok(const char *given) {
    char *name = fixed_name();
    char *copy = NULL;
    if (given)
        name = copy = strdup(given);
    if (name)
        note(name);
    free(copy);
}

// Seldom released by mistake, mostly not: the program is not sure.
char *shared_name(void);

void first_ok(void) {
    puts(shared_name());
}
void second_ok(void) {
    puts(shared_name());
}
void third_ok(int last) {
    char *name = shared_name();
    puts(name);
    if (last)
        free(name);
}
