// The pointer travels inside a struct that is passed and returned by value.
#include "stubs.h"

struct string {
    char *text;
    size_t length;
};

struct record {
    long id;
    long created;
    struct string name;
    long changed;
    long flags;
};

static struct string string_make(const char *from) {
    struct string string = { strdup(from), 0 };
    if (string.text)
        string.length = strlen(string.text);
    return string;
}

static struct record record_make(long id, const char *name) {
    struct record record = { 0 };
    record.id = id;
    record.name = string_make(name);
    return record;
}

static void string_drop(struct string string) { free(string.text); }
static void record_drop(struct record record) { free(record.name.text); }
static long record_look(struct record record) { return record.id + record.flags; }

struct string returned_by_value_ok(const char *from) {
    struct string string;
    string.text = strdup(from);
    string.length = 0;
    return string;
}

size_t field_is_freed_ok(const char *from) {
    struct string string = string_make(from);
    size_t length = string.length;
    free(string.text);
    return length;
}

void passed_by_value_ok(const char *from) {
    struct string string = string_make(from);
    string_drop(string);
}

void nested_calls_ok(const char *from) {
    string_drop(string_make(from));
}

long big_struct_ok(const char *name) {
    struct record record = record_make(7, name);
    long id = record_look(record);
    record_drop(record);
    return id;
}

void stored_by_value_ok(struct record *to, const char *name) {
    *to = record_make(8, name);
}

size_t struct_is_dropped_bad(const char *from) {
    struct string string = string_make(from);    //~ memory-leak
    return string.length;
}

size_t member_of_result_bad(const char *from) {
    return string_make(from).length;    //~ memory-leak
}

long big_struct_only_looked_at_bad(const char *name) {
    struct record record = record_make(9, name);    //~ memory-leak
    return record_look(record);
}

struct string copied_then_replaced_bad(const char *first, const char *second) {
    struct string string = string_make(first);    //~ memory-leak
    if (string.length > 4)
        string = string_make(second);
    return string;
}
