// A value that is a kind and a pointer, passed and returned by value. Accessors mask the
// kind out of its bits, and the kind decides who owns what.
#include "stubs.h"

enum { KIND_NULL = 1, KIND_NUMBER = 4, KIND_TEXT = 5 };

struct value {
    unsigned char bits;
    unsigned char pad;
    unsigned short offset;
    int size;
    union {
        char *text;
        double number;
    } u;
};

struct failure {
    int count;
    struct value reason;
};

static int kind_of(struct value value) { return value.bits & 0xf; }

static void *must(size_t size) {
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}

static struct value text_value(const char *from) {
    size_t length = strlen(from);
    char *text = must(length + 1);
    memcpy(text, from, length + 1);
    struct value value = { KIND_TEXT, 0, 0, 0, { text } };
    return value;
}

static struct value number_value(double number) {
    struct value value = { KIND_NUMBER, 0, 0, 0, { NULL } };
    value.u.number = number;
    return value;
}

static void value_free(struct value value) {
    if (kind_of(value) == KIND_TEXT)
        free(value.u.text);
}

// Takes the reason over unless it says nothing.
static struct failure *failure_new(struct value reason) {
    if (kind_of(reason) == KIND_NULL)
        return NULL;
    struct failure *failure = must(sizeof *failure);
    failure->count = 1;
    failure->reason = reason;
    return failure;
}

struct failure *reason_is_kept_ok(void) {
    return failure_new(text_value("no such file"));
}

void freed_by_kind_ok(const char *from) {
    struct value value = text_value(from);
    value_free(value);
}

struct value one_or_the_other_ok(const char *from, double number) {
    struct value value = from ? text_value(from) : number_value(number);
    if (kind_of(value) == KIND_NUMBER)
        return value;
    value_free(value);
    return number_value(number);
}

double only_numbers_are_freed_bad(const char *from) {
    struct value value = text_value(from);    //~ memory-leak
    if (kind_of(value) == KIND_NUMBER)
        value_free(value);
    return 0;
}

int asked_for_its_kind_bad(const char *from) {
    return kind_of(text_value(from));    //~ memory-leak
}

// Two blocks in one struct, joined into a chain.

struct step {
    struct step *next;
    int code;
};

struct chain {
    struct step *first;
    struct step *last;
};

static struct chain chain_of(int code) {
    struct step *step = must(sizeof *step);
    step->next = NULL;
    step->code = code;
    struct chain chain = { step, step };
    return chain;
}

static struct chain chain_join(struct chain a, struct chain b) {
    if (!b.first)
        return a;
    if (!a.first)
        return b;
    a.last->next = b.first;
    a.last = b.last;
    return a;
}

struct chain chain_of_three_ok(void) {
    return chain_join(chain_join(chain_of(1), chain_of(2)), chain_of(3));
}

struct chain second_chain_is_forgotten_bad(int loud) {
    struct chain first = chain_of(1);
    struct chain second = chain_of(2);    //~ memory-leak
    if (loud)
        first = chain_join(first, second);
    return first;
}
