// A tagged union holds a block or a number.
#include "stubs.h"

enum type { NUMBER, TEXT };

struct variant {
    enum type type;
    union {
        long number;
        char *text;
        double real;
    };
};

static void variant_clear(struct variant *variant) {
    if (variant->type == TEXT)
        free(variant->text);
    variant->type = NUMBER;
    variant->number = 0;
}

void set_text_ok(struct variant *variant, const char *text) {
    variant_clear(variant);
    variant->text = strdup(text);
    variant->type = TEXT;
}

int text_in_local_ok(const char *text) {
    struct variant variant = { NUMBER, { 7 } };
    variant.text = strdup(text);
    if (!variant.text)
        return -1;
    variant.type = TEXT;
    int first = variant.text[0];
    variant_clear(&variant);
    return first;
}

union word {
    void *pointer;
    uintptr_t bits;
};

void seen_as_bits_ok(void) {
    union word word;
    word.pointer = malloc(4);
    printf("%lx\n", (unsigned long)word.bits);
    free(word.pointer);
}

int number_over_text_bad(const char *text) {
    struct variant variant;
    variant.type = TEXT;
    variant.text = strdup(text);    //~ memory-leak
    if (!variant.text)
        return -1;
    variant.number = 5;
    variant.type = NUMBER;
    variant_clear(&variant);
    return 0;
}

int wrong_tag_bad(const char *text) {
    struct variant variant;
    variant.type = NUMBER;
    variant.text = strdup(text);    //~ memory-leak
    if (!variant.text)
        return -1;
    variant_clear(&variant);
    return 0;
}
