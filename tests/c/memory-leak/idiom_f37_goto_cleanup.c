// Cleanup labels that fall through to one another, in the reverse order of allocation.
#include "stubs.h"

struct parts {
    char *first;
    char *second;
    char *third;
};

struct parts *chain_of_labels_ok(size_t size) {
    struct parts *parts = malloc(sizeof *parts);
    if (!parts)
        goto fail;
    parts->first = malloc(size);
    if (!parts->first)
        goto fail_parts;
    parts->second = malloc(size);
    if (!parts->second)
        goto fail_first;
    parts->third = malloc(size);
    if (!parts->third)
        goto fail_second;
    return parts;

fail_second:
    free(parts->second);
fail_first:
    free(parts->first);
fail_parts:
    free(parts);
fail:
    return NULL;
}

int one_label_for_all_ok(const char *text, size_t size) {
    int result = -1;
    char *copy = NULL;
    char *block = NULL;
    copy = strdup(text);
    if (!copy)
        goto out;
    block = malloc(size);
    if (!block)
        goto out;
    result = 0;
out:
    free(block);
    free(copy);
    return result;
}

int success_passes_labels_ok(const char *text, size_t size) {
    int result = -1;
    char *copy = strdup(text);
    if (!copy)
        goto out;
    char *block = malloc(size);
    if (!block)
        goto out_copy;
    result = (int)strlen(copy);
    free(block);
out_copy:
    free(copy);
out:
    return result;
}

char *moved_out_before_cleanup_ok(const char *text, int broken) {
    char *result = NULL;
    char *copy = strdup(text);
    if (!copy)
        goto out;
    if (broken)
        goto out;
    result = copy;
    copy = NULL;
out:
    free(copy);
    return result;
}

struct parts *label_one_too_late_bad(size_t size) {
    struct parts *parts = malloc(sizeof *parts);
    if (!parts)
        goto fail;
    parts->first = malloc(size);
    if (!parts->first)
        goto fail_parts;
    parts->second = malloc(size);    //~ memory-leak "parts->second"
    if (!parts->second)
        goto fail_first;
    parts->third = malloc(size);
    if (!parts->third)
        goto fail_first;
    return parts;

fail_first:
    free(parts->first);
fail_parts:
    free(parts);
fail:
    return NULL;
}

int last_label_skips_bad(const char *text, size_t size) {
    int result = -1;
    char *copy = strdup(text);    //~ memory-leak "copy"
    if (!copy)
        goto out;
    char *block = malloc(size);
    if (!block)
        goto out;
    result = (int)strlen(copy);
    free(block);
    free(copy);
out:
    return result;
}

int return_inside_chain_bad(const char *text, size_t size) {
    int result = -1;
    char *copy = strdup(text);
    if (!copy)
        return result;
    char *block = malloc(size);    //~ memory-leak "block"
    if (!block)
        goto out;
    if (copy[0] == '#')
        goto out;
    result = 0;
    free(block);
out:
    free(copy);
    return result;
}
