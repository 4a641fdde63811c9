// A callee allocates when what it is asked for is more than there is room for. Who brings enough room knows that nothing
// is allocated.
#include "stubs.h"

struct digits { char *at; size_t room, used; };

static void make_room(struct digits *d, size_t wanted) {
    if (wanted > d->room) {
        char *larger = realloc(d->at, wanted);
        if (!larger)
            abort();
        d->at = larger;
        d->room = wanted;
    }
}

static void put(struct digits *d, unsigned long number) {
    d->used = 0;
    make_room(d, 20);
    do
        d->at[d->used++] = (char)(number % 10);
    while ((number /= 10) != 0);
}

size_t enough_ok(unsigned long number) {
    char buffer[20];
    struct digits d = {buffer, sizeof buffer, 0};
    put(&d, number);
    return d.used;
}

size_t nothing_yet_bad(unsigned long number) {
    struct digits d = {NULL, 0, 0};
    put(&d, number);    //~ memory-leak
    return d.used;
}

size_t too_little_bad(unsigned long number) {
    struct digits d = {malloc(19), 19, 0};
    if (!d.at)
        return 0;
    put(&d, number);    //~ memory-leak
    return d.used;
}

size_t freed_ok(unsigned long number) {
    struct digits d = {NULL, 0, 0};
    put(&d, number);
    size_t used = d.used;
    free(d.at);
    return used;
}
