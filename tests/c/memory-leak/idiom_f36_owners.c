// An owner with several children, and a destructor per level.
#include "stubs.h"

struct address { char *street, *town; };
struct person { char *name; struct address *address; };

static void address_free(struct address *address) {
    if (!address)
        return;
    free(address->street), free(address->town), free(address);
}

static struct person *person_new(const char *name, const char *town) {
    struct person *person = calloc(1, sizeof *person);
    if (!person)
        return NULL;
    person->name = strdup(name);
    person->address = calloc(1, sizeof *person->address);
    if (!person->name || !person->address || !(person->address->town = strdup(town))) {
        free(person->name);
        address_free(person->address);
        free(person);
        return NULL;
    }
    return person;
}

void whole_person_ok(void) {
    struct person *person = person_new("A", "B");
    if (!person)
        return;
    free(person->name);
    address_free(person->address);
    free(person);
}

void address_forgotten_bad(void) {
    struct person *person = person_new("A", "B");    //~ memory-leak
    if (!person)
        return;
    free(person->name);
    free(person);
}

void child_of_child_bad(const char *town) {
    struct address *address = calloc(1, sizeof *address);
    if (!address)
        return;
    address->town = strdup(town);    //~ memory-leak "address->town"
    free(address->street);
    free(address);
}
