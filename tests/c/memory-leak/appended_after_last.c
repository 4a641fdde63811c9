// A list that grows at its end. In the first iteration the last element is null, and appending to it would end the
// program, so the list was empty then.
#include "stubs.h"

struct record {
    char *name;
    struct record *next;
};

static struct record *records;

void loaded_ok(FILE *file) {
    char line[64];
    struct record *last = NULL;
    while (fgets(line, sizeof line, file)) {
        struct record *record = malloc(sizeof *record);
        if (!record)
            abort();
        record->name = strdup(line);
        record->next = NULL;
        if (!records)
            records = record;
        else
            last->next = record;
        last = record;
    }
}

void only_first_kept_bad(FILE *file) {
    char line[64];
    while (fgets(line, sizeof line, file)) {
        struct record *record = malloc(sizeof *record);    //~ memory-leak "record"
        if (!record)
            abort();
        record->name = NULL;
        record->next = NULL;
        if (!records)
            records = record;
    }
}
