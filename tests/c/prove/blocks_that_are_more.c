// Blocks that are more than they are declared as where they are released: arrays of records, longer records that begin like the
// declared one, records that keep pointers among their letters.
#include "stubs.h"

struct cell {
    int data;
    struct cell *next;
};

struct slot {
    int number;
    struct cell *held;
};

struct base {
    int kind;
};

struct derived {
    struct base base;
    struct cell *held;
};

struct letters {
    int used;
    char bytes[];
};

struct fixed {
    int kind;
    char bytes[12];
};

// The second of two records goes with the block.
void second_is_lost(void) {
    struct slot *slots = calloc(2, sizeof *slots);
    if (slots == NULL)
        return;
    slots[1].held = malloc(sizeof(struct cell)); //~ memory-leak
    free(slots[0].held);
    free(slots); //? unknown release: what the second holds
}

// A block that was acquired as one record holds no second, although other blocks do.
void only_one(void) {
    struct slot *slot = calloc(1, sizeof *slot);
    if (slot == NULL)
        return;
    slot->held = malloc(sizeof(struct cell));
    free(slot->held);
    slot->held = NULL;
    free(slot); //? proved release: there is one alone
}

static void *checked(size_t count, size_t bytes) {
    void *made = calloc(count, bytes);
    if (made == NULL)
        abort();
    return made;
}

void one_by_wrapper(void) {
    struct slot *slot = checked(1, sizeof *slot);
    slot->held = malloc(sizeof(struct cell));
    free(slot->held);
    slot->held = NULL;
    free(slot); //? proved release: there is one alone
}

void three_by_wrapper(void) {
    struct slot *slots = checked(3, sizeof *slots);
    slots[2].held = malloc(sizeof(struct cell)); //~ memory-leak
    free(slots); //? unknown release: what the third holds
}

// What is released as its first member is longer than that.
void released_as_base(void) {
    struct base *base;
    struct derived *derived = calloc(1, sizeof *derived);
    if (derived == NULL)
        return;
    derived->held = malloc(sizeof(struct cell)); //~ memory-leak
    base = &derived->base;
    derived = NULL;
    free(base); //? unknown release: what lies behind the first member
}

// Letters at the end of a record hold a pointer.
void kept_in_last_letters(void) {
    struct letters *letters = calloc(1, sizeof *letters + 16);
    if (letters == NULL)
        return;
    *(struct cell **)(letters->bytes + 4) = malloc(sizeof(struct cell)); //~ memory-leak
    free(letters); //? unknown release: what is kept among the letters
}

// The same in the middle, which is cleared.
void cleared_with_letters(void) {
    struct fixed fixed = {0}; //? false assignment: a record that just came into scope held nothing
    *(struct cell **)(fixed.bytes + 4) = malloc(sizeof(struct cell)); //~ memory-leak
    memset(&fixed, 0, sizeof fixed); //? unknown assignment: what was kept among the letters
} //? false scope: it is not known that the letters are zero

// The number goes out of scope, and nothing else refers to the block.
void lost_as_number_bad(void) {
    struct cell *cell = malloc(sizeof *cell); //~ memory-leak "cell"
    long number = (long)cell; //? false assignment: what was a reference there before is not known
    cell = NULL; //? false assignment: the number is a reference, too, but not to the engine
    if (number == 0)
        number = 1; //? false assignment: zero is no address, which is not known
} //? unknown scope: the number
