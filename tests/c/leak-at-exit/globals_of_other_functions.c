//@ flags: --rules all
// What a function leaves in a global stays there until the end, unless something in the program takes it away.
#include "stubs.h"

struct entry {
    struct entry *next;
    char *name;
};

static char *forgotten;
static char *cleaned;
static char *moved;
static char *moved_to;
static char *cached;
static char *table[8];
static char *rows[8];
static struct entry *entries;
static struct entry *kept_entries;
static char *left_by_argument;

static void remember_bad(const char *text) {
    forgotten = strdup(text);    //~ leak-at-exit "forgotten"
}

static void look_at_it(void) {
    if (forgotten)
        puts(forgotten);
}

static void remember_for_cleaning_ok(const char *text) {
    cleaned = strdup(text);
}

static void clean(void) {
    free(cleaned);
    cleaned = NULL;
}

static void remember_for_moving_ok(const char *text) {
    moved = strdup(text);
}

static void move(void) {
    moved_to = moved;
    moved = NULL;
}

static void move_on(void) {
    free(moved_to);
}

// A cache is filled once and never emptied.
static const char *lookup_bad(const char *text) {
    if (!cached)
        cached = strdup(text);    //~ leak-at-exit "cached"
    return cached;
}

static void fill_row_ok(unsigned row, const char *text) {
    table[row % 8] = strdup(text);
}

static void empty_rows(void) {
    for (unsigned row = 0; row < 8; row++)
        free(table[row]);
}

static void first_row_bad(const char *text) {
    rows[0] = strdup(text);    //~ leak-at-exit "rows"
}

static void add_entry_ok(const char *name) {
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return;
    entry->name = strdup(name);
    entry->next = entries;
    entries = entry;
}

static void free_entries(void) {
    while (entries) {
        struct entry *next = entries->next;
        free(entries->name);
        free(entries);
        entries = next;
    }
}

static void add_kept_entry_bad(const char *name) {
    struct entry *entry = malloc(sizeof *entry);    //~ leak-at-exit "entry"
    if (!entry)
        return;
    entry->name = NULL;
    entry->next = kept_entries;
    kept_entries = entry;
}

static void allocate(char **out) {
    *out = malloc(16);
}

static void through_argument_bad(void) {
    allocate(&left_by_argument);    //~ leak-at-exit
}

// The block is in a global for a while only.
static char *current;

static void for_a_while_ok(const char *text) {
    current = strdup(text);
    if (current)
        puts(current);
    free(current);
    current = NULL;
}

int main(int argc, char **argv) {
    remember_bad(argv[0]);
    look_at_it();
    remember_for_cleaning_ok(argv[0]);
    clean();
    remember_for_moving_ok(argv[0]);
    move();
    move_on();
    puts(lookup_bad(argv[0]));
    fill_row_ok(argc, argv[0]);
    empty_rows();
    first_row_bad(argv[0]);
    add_entry_ok(argv[0]);
    free_entries();
    add_kept_entry_bad(argv[0]);
    through_argument_bad();
    for_a_while_ok(argv[0]);
    return 0;
}
