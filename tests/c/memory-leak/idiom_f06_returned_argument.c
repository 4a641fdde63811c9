// The callee returns its own argument: two names, one block.
#include "stubs.h"

static char *fill(char *block) {
    block[0] = 'x';
    block[1] = '\0';
    return block;
}

static char *fill_or_null(char *block, int ready) {
    if (!ready)
        return NULL;
    block[0] = 'x';
    return block;
}

static char *skip_first(char *block) {
    return block + 1;
}

void same_name_ok(void) {
    char *block = malloc(8);
    if (!block)
        return;
    block = fill(block);
    puts(block);
    free(block);
}

void new_name_is_freed_ok(void) {
    char *block = malloc(8);
    if (!block)
        return;
    char *filled = fill(block);
    block = NULL;
    puts(filled);
    free(filled);
}

char *library_returns_its_argument_ok(const char *text) {
    char *block = malloc(strlen(text) + 1);
    if (!block)
        return NULL;
    return strcpy(block, text);
}

void cleared_and_freed_ok(size_t size) {
    void *block = malloc(size);
    if (!block)
        return;
    block = memset(block, 0, size);
    free(block);
}

char *returned_or_freed_ok(int ready) {
    char *block = malloc(8);
    if (!block)
        return NULL;
    char *filled = fill_or_null(block, ready);
    if (!filled)
        free(block);
    return filled;
}

void freed_by_old_name_ok(void) {
    char *block = malloc(8);
    if (!block)
        return;
    char *rest = skip_first(fill(block));
    puts(rest);
    free(block);
}

void neither_is_freed_bad(void) {
    char *block = malloc(8);    //~ memory-leak
    if (!block)
        return;
    char *filled = fill(block);
    puts(filled);
}

char *null_instead_of_argument_bad(int ready) {
    char *block = malloc(8);    //~ memory-leak
    if (!block)
        return NULL;
    block = fill_or_null(block, ready);
    return block;
}

size_t library_result_is_dropped_bad(const char *text) {
    char *block = malloc(strlen(text) + 1);    //~ memory-leak
    if (!block)
        return 0;
    return strlen(strcpy(block, text));
}
