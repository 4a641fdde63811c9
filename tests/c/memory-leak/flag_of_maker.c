// Whether an object is released depends on a flag in it that its maker sets and nobody else asks about.
#include "stubs.h"

struct text {
    int length;
    int kind;
    char *data;
    long flags;
};

#define LENT 0x10
#define PART 0x80

extern int registered(int kind);

struct text *text_of(int kind) {
    struct text *text;
    if (registered(kind) && kind > 4) {
        text = calloc(1, sizeof *text);
        if (text == NULL)
            return NULL;
        text->kind = kind;
        return text;
    }
    text = calloc(1, sizeof *text);
    if (text != NULL)
        text->kind = kind;
    return text;
}

void text_free(struct text *text) {
    if (text == NULL)
        return;
    if (!(text->flags & LENT))
        free(text->data);
    if (!(text->flags & PART))
        free(text);
}

struct pair {
    int first, second, third, fourth, fifth;
};

// Reads the text as another type: four bytes where the flag has eight.
static int weigh(struct pair *pair) {
    pair->fifth = 0;
    return pair->first + pair->second;
}

int measure_ok(int kind) {
    struct text *text = text_of(kind);
    int weight = 0;
    if (text != NULL)
        weight = weigh((struct pair *)text);
    text_free(text);
    return weight;
}

// The kind is asked about here: some texts have another.
int keep_some_bad(int kind) {
    struct text *text = text_of(kind); //~ memory-leak "text"
    if (text == NULL)
        return 0;
    if (text->kind == 3) {
        text_free(text);
        return 1;
    }
    return 2;
}
