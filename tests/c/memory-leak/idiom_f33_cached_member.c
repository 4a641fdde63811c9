// A getter fills a member when it is first asked for.
#include "stubs.h"

struct person { const char *first, *last; char *full; };

static const char *person_full(struct person *person) {
    return person->full ? person->full
         : asprintf(&person->full, "%s %s", person->first, person->last) < 0 ? (person->full = NULL)
         : person->full;
}

void greeted_ok(struct person *person) {
    const char *full = person_full(person);
    if (full)
        printf("%s and %s\n", full, person_full(person));
}

void local_person_ok(void) {
    struct person person = { "A", "B", NULL };
    puts(person_full(&person) ? person.full : "?");
    free(person.full);
}

void local_person_bad(void) {
    struct person person = { "A", "B", NULL };
    const char *full = person_full(&person);    //~ memory-leak
    if (full)
        puts(full);
}
