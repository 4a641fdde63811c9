// A structure that is passed by value is a copy: what is stored in it is gone with the callee.
#include "stubs.h"

struct record {
    char *first;
    char *second;
    size_t size;
    int level;
};

static struct record record_of(const char *text) {
    struct record record = { strdup(text), strdup(text), 0, 0 };
    return record;
}

static void record_end(struct record record) {
    free(record.first);
    free(record.second);
    record.first = NULL;
}

static struct record raised(struct record record) {
    record.level++;
    return record;
}

int ended_by_value_ok(const char *text) {
    struct record record = record_of(text);
    record_end(record);
    return 0;
}

int handed_through_ok(const char *text) {
    struct record record = raised(record_of(text));
    record_end(record);
    return 0;
}

void stored_in_copy_bad(struct record record, const char *text) {
    record.first = strdup(text);    //~ memory-leak "record.first"
}

int handed_through_bad(const char *text) {
    struct record record = raised(record_of(text));    //~ memory-leak "record_of"
    free(record.first);
    return record.level;
}
