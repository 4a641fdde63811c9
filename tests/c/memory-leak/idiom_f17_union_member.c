// The pointer lives in a union, with or without a tag beside it.
#include "stubs.h"

union slot {
    char *text;
    long number;
    double real;
};

enum tag { TAG_NUMBER, TAG_TEXT };

struct value {
    enum tag tag;
    union slot slot;
};

static void value_clear(struct value *value) {
    if (value->tag == TAG_TEXT)
        free(value->slot.text);
    value->tag = TAG_NUMBER;
    value->slot.number = 0;
}

static int value_set_text(struct value *value, const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    value->tag = TAG_TEXT;
    value->slot.text = copy;
    return 0;
}

void union_of_parameter_ok(union slot *slot, const char *text) {
    slot->text = strdup(text);
}

void local_union_freed_ok(const char *text) {
    union slot slot;
    slot.text = strdup(text);
    free(slot.text);
}

int tagged_value_ok(const char *text) {
    struct value value = { TAG_NUMBER, { .number = 0 } };
    if (value_set_text(&value, text) < 0)
        return -1;
    value_clear(&value);
    return 0;
}

struct value tagged_value_returned_ok(const char *text) {
    struct value value = { TAG_NUMBER, { .number = 1 } };
    value_set_text(&value, text);
    return value;
}

void released_before_other_member_ok(const char *text) {
    union slot slot;
    slot.text = strdup(text);
    free(slot.text);
    slot.number = 5;
    printf("%ld\n", slot.number);
}

void other_member_overwrites_bad(const char *text) {
    union slot slot;
    slot.text = strdup(text);    //~ memory-leak "slot.text"
    slot.number = 5;
    printf("%ld\n", slot.number);
}

void other_member_of_parameter_bad(struct value *value, const char *text) {
    value->tag = TAG_TEXT;
    value->slot.text = strdup(text);    //~ memory-leak "value->slot.text"
    value->tag = TAG_NUMBER;
    value->slot.real = 1.5;
}

void tag_changed_before_clear_bad(const char *text) {
    struct value value;
    value.tag = TAG_TEXT;
    value.slot.text = strdup(text);    //~ memory-leak "value.slot.text"
    value.tag = TAG_NUMBER;
    value_clear(&value);
}
