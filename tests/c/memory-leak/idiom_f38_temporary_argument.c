// A fresh string is passed straight into a call: the call must own it, or it is lost.
#include "stubs.h"

struct label {
    char text[32];
    char *owned;
};

static void label_copy_text(struct label *label, const char *text) {
    snprintf(label->text, sizeof label->text, "%s", text);
}

static void label_take_text(struct label *label, char *text) {
    free(label->owned);
    label->owned = text;
}

static void label_duplicate_text(struct label *label, const char *text) {
    free(label->owned);
    label->owned = strdup(text);
}

static size_t length_and_free(char *text) {
    if (!text)
        return 0;
    size_t length = strlen(text);
    free(text);
    return length;
}

static char *upper(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return NULL;
    for (char *c = copy; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return copy;
}

void call_keeps_it_ok(struct label *label, const char *text) {
    label_take_text(label, strdup(text));
}

size_t call_frees_it_ok(const char *text) {
    return length_and_free(strdup(text));
}

size_t chain_of_calls_ok(const char *text) {
    return length_and_free(upper(text));
}

void call_copies_it_bad(struct label *label, const char *text) {
    label_copy_text(label, strdup(text));    //~ memory-leak
}

void call_duplicates_it_bad(struct label *label, const char *text) {
    label_duplicate_text(label, strdup(text));    //~ memory-leak
}

size_t library_only_reads_it_bad(const char *text) {
    return strlen(strdup(text));    //~ memory-leak
}

void inner_result_lost_bad(struct label *label, const char *text) {
    label_take_text(label, strdup(upper(text)));    //~ memory-leak
}
