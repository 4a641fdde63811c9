// One of several places, chosen by a ternary, an array of addresses, or a switch.
#include "stubs.h"

static char *red, *green;

void chosen_global_ok(int which, const char *text) {
    char **place = which ? &red : &green;
    free(*place);
    *place = strdup(text);
}

void table_of_places_ok(unsigned which, const char *text) {
    char **places[] = { &red, &green };
    char **place = places[which & 1];
    free(*place), *place = NULL;
    *place = strdup(text);
}

void sometimes_a_local_bad(int which, const char *text) {
    char *scratch = NULL, **place;
    switch (which) {
    case 0: place = &red; break;
    case 1: place = &green; break;
    default: place = &scratch;
    }
    free(*place);
    *place = strdup(text);    //~ memory-leak
}
