// A fresh string is made for one call only.
#include "stubs.h"

struct label {
    char text[32];
    char *long_text;
};

static void label_copy(struct label *label, const char *text) {
    strncpy(label->text, text, sizeof label->text - 1);
    label->text[31] = 0;
}

static void label_own(struct label *label, char *text) {
    free(label->long_text);
    label->long_text = text;
}

static int show(const char *text) { return puts(text); }

static char *decimal(int number) {
    char *text = malloc(12);
    if (!text)
        abort();
    snprintf(text, 12, "%d", number);
    return text;
}

void owned_ok(struct label *label, int number) { label_own(label, decimal(number)); }

int shown_and_freed_ok(int number) {
    char *text = decimal(number);
    int result = show(text);
    free(text);
    return result;
}

void copied_bad(struct label *label, int number) {
    label_copy(label, decimal(number));    //~ memory-leak
}

int shown_bad(int number) {
    return show(decimal(number));    //~ memory-leak
}

size_t measured_bad(const char *text) {
    return strlen(strdup(text));    //~ memory-leak
}
