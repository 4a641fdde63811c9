// A replacement is lost where it could have succeeded and has failed. Who gives NULL for a size of zero, or for nothing, has not failed.
#include "stubs.h"

static void *resized(void *block, size_t size) {
    if (size == 0)
        return NULL;
    void *larger = realloc(block, size);
    if (larger == NULL)
        exit(1);
    return larger;
}

static void *resized_or_null(void *block, size_t size) {
    if (size == 0)
        return NULL;
    return realloc(block, size);
}

static char *joined(char *text, const char *more) {
    if (more == NULL)
        return text;
    if (text == NULL)
        return strdup(more);
    size_t length = strlen(text);
    text = resized(text, length + strlen(more) + 1);
    memcpy(text + length, more, strlen(more) + 1);
    return text;
}

struct label {
    char *text;
    size_t room;
};

void widened_ok(struct label *label) {
    label->room *= 2;
    label->text = resized(label->text, label->room);
}

void lengthened_ok(struct label *label, const char *more) {
    label->text = joined(label->text, more);
}

int widened_bad(struct label *label) {
    label->room *= 2;
    label->text = resized_or_null(label->text, label->room);    //~ realloc-lost "label->text"
    return label->text == NULL ? -1 : 0;
}
