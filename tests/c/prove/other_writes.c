// Writes that are no assignments of pointers to what is declared as one: into flexible arrays, by library functions, byte
// by byte, as numbers. Each can take the last reference away; beside it stands the same where it cannot.
#include "stubs.h"

struct pair {
    struct pair *next;
    char *text;
};

struct shelf {
    int count;
    struct pair *books[];
};

struct label {
    int kind;
    char letters[12];
    char *text;
};

// An element of a flexible array is overwritten by another one or by itself.
void shelf_emptied(int i) {
    struct shelf *shelf = calloc(1, sizeof *shelf + 2 * sizeof(struct pair *));
    if (shelf == NULL)
        return;
    shelf->books[1] = malloc(sizeof(struct pair)); //~ memory-leak
    shelf->books[i & 1] = NULL; //? violated assignment: the element that was just set
    shelf->books[0] = NULL;
    free(shelf); //? unknown release: an element of the array
}

void shelf_counted(struct shelf *shelf) {
    if (shelf != NULL)
        shelf->count = 0;
}

// A library function writes over a record with pointers.
void wiped_by_library(struct pair *pair) {
    if (pair != NULL)
        explicit_bzero(pair, sizeof *pair); //? unknown assignment: both pointers of the record
}

void copied_by_library(struct pair *pair) {
    if (pair != NULL)
        strncpy((char *)pair, "abc", sizeof *pair); //? unknown assignment: the first pointer
}

void filled_by_memset(struct pair *pair) {
    if (pair != NULL)
        memset(pair, 0, sizeof *pair); //? violated assignment: both pointers of the record
}

void letters_copied(struct label *label) {
    if (label != NULL)
        strncpy(label->letters, "abc", sizeof label->letters); //? false assignment: other records of the file hold pointers among letters
}

// Bytes that are the bytes of a pointer.
static void clear(void *memory, size_t bytes) {
    unsigned char *byte = memory;
    while (bytes-- > 0)
        *byte++ = 0; //? unknown assignment: a byte of a pointer
}

void wiped_by_bytes(struct pair *pair) {
    if (pair != NULL)
        clear(pair, sizeof *pair);
}

void letters_zeroed(struct label *label) {
    unsigned i;
    if (label == NULL)
        return;
    for (i = 0; i < sizeof label->letters; i++)
        label->letters[i] = 0;
}

// A pointer is overwritten as a number, through a pointer to numbers.
void overwritten_as_number(struct pair *pair) {
    unsigned long *number;
    if (pair == NULL)
        return;
    number = (unsigned long *)&pair->text;
    *number = 0; //? unknown assignment: the bytes of a pointer
}

void kind_set(struct label *label) {
    int *kind;
    if (label == NULL)
        return;
    kind = &label->kind;
    *kind = 3;
}

// A pointer is kept among letters.
void kept_among_letters(void) {
    char letters[16];
    *(struct pair **)letters = malloc(sizeof(struct pair)); //~ memory-leak
    letters[0] = 0; //? unknown assignment: a byte of the pointer
} //? unknown scope: what is left of it

// One block under two names of different types.
void two_types(void) {
    char *bytes = malloc(sizeof(struct pair)); //~ memory-leak
    struct pair *pair = (struct pair *)bytes;
    bytes = NULL;
    pair = NULL; //? violated assignment: the block, under its other name
}

// Something else lies behind the record, in the same block.
void behind_the_record(void) {
    struct label *label = calloc(1, sizeof *label + sizeof(char *));
    char **more;
    if (label == NULL)
        return;
    more = (char **)(label + 1);
    *more = malloc(4); //~ memory-leak
    free(label); //? unknown release: what lies behind the record
}
