// Freeing a block loses what only that block points at.
#include "stubs.h"

struct person {
    char *name;
    struct person *friend;
};

struct outer {
    struct person *person;
};

static struct person *person_new(const char *name) {
    struct person *person = malloc(sizeof *person);
    if (!person)
        return NULL;
    person->friend = NULL;
    person->name = strdup(name);
    if (!person->name) {
        free(person);
        return NULL;
    }
    return person;
}

static void person_free(struct person *person) {
    if (!person)
        return;
    free(person->name);
    free(person);
}

static void person_free_shallow(struct person *person) {
    free(person);
}

void children_first_ok(const char *name) {
    struct person *person = person_new(name);
    if (!person)
        return;
    free(person->name);
    free(person);
}

void by_destructor_ok(const char *name) {
    struct person *person = person_new(name);
    person_free(person);
}

char *child_taken_out_ok(const char *name) {
    struct person *person = person_new(name);
    if (!person)
        return NULL;
    char *taken = person->name;
    free(person);
    return taken;
}

void child_never_allocated_ok(void) {
    struct person *person = calloc(1, sizeof *person);
    free(person);
}

void child_belongs_to_another_ok(char *name) {
    struct person *person = calloc(1, sizeof *person);
    if (!person)
        return;
    person->name = name;
    free(person);
}

int two_levels_ok(const char *name) {
    struct outer *outer = malloc(sizeof *outer);
    if (!outer)
        return -1;
    outer->person = person_new(name);
    person_free(outer->person);
    free(outer);
    return 0;
}

void owner_freed_first_bad(const char *name, int broken) {
    struct person *person = calloc(1, sizeof *person);
    if (!person)
        return;
    person->name = strdup(name);    //~ memory-leak "person->name"
    if (broken) {
        free(person);
        return;
    }
    person_free(person);
}

void shallow_destructor_bad(const char *name) {
    struct person *person = person_new(name);    //~ memory-leak
    if (person)
        person_free_shallow(person);
}

int middle_level_forgotten_bad(const char *name) {
    struct outer *outer = malloc(sizeof *outer);
    if (!outer)
        return -1;
    outer->person = calloc(1, sizeof *outer->person);    //~ memory-leak "outer->person"
    if (!outer->person) {
        free(outer);
        return -1;
    }
    outer->person->name = strdup(name);
    free(outer->person->name);
    free(outer);
    return 0;
}

int second_node_forgotten_bad(void) {
    struct person *first = calloc(1, sizeof *first);
    if (!first)
        return -1;
    first->friend = calloc(1, sizeof *first);    //~ memory-leak "first->friend"
    free(first);
    return 0;
}
