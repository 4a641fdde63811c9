// A buffer grows by realloc.
#include "stubs.h"

struct text {
    char *bytes;
    size_t used, room;
};

static bool text_reserve(struct text *text, size_t more) {
    if (text->used + more <= text->room)
        return true;
    size_t room = (text->room + more) * 2;
    char *bytes = realloc(text->bytes, room);
    if (!bytes)
        return false;
    text->bytes = bytes;
    text->room = room;
    return true;
}

static void *xrealloc(void *block, size_t size) {
    void *bigger = realloc(block, size);
    if (!bigger)
        abort();
    return bigger;
}

char *lines_ok(int count) {
    struct text text = { NULL, 0, 0 };
    for (int i = 0; i < count; i++) {
        if (!text_reserve(&text, 16)) {
            free(text.bytes);
            return NULL;
        }
        text.used += (size_t)snprintf(text.bytes + text.used, 16, "%d\n", i);
    }
    return text.bytes;
}

int temporary_ok(size_t size) {
    char *block = malloc(size), *bigger;
    if (!block)
        return -1;
    if ((bigger = realloc(block, size + 10)) == NULL) {
        free(block);
        return -1;
    }
    block = bigger;
    free(block);
    return 0;
}

int dies_instead_ok(size_t size) {
    char *block = malloc(size);
    if (!block)
        return -1;
    block = xrealloc(block, size * 2);
    free(block);
    return 0;
}

int released_by_size_zero_ok(size_t size) {
    char *block = malloc(size);
    if (!block)
        return -1;
    block[0] = 'x';
    (void)realloc(block, 0);
    return 0;
}

int lost_when_it_fails_bad(size_t size) {
    char *block = malloc(size);
    if (!block)
        return -1;
    block = realloc(block, size * 2);    //~ realloc-lost "block"
    if (!block)
        return -1;
    free(block);
    return 0;
}

int merely_not_freed_bad(size_t size) {
    char *block = malloc(size);    //~ memory-leak "block"
    if (!block)
        return -1;
    char *bigger = realloc(block, size * 2);
    if (!bigger)
        return -1;
    free(bigger);
    return 0;
}

int lost_in_a_loop_bad(int count) {
    int *numbers = NULL;
    int room = 0;
    for (int i = 0; i < count; i++) {
        if (i == room) {
            room += 2;
            numbers = realloc(numbers, (size_t)room * sizeof *numbers);    //~ realloc-lost "numbers"
            if (!numbers)
                return -1;
        }
        numbers[i] = i;
    }
    free(numbers);
    return count;
}

int lost_in_local_struct_bad(void) {
    struct text text = { malloc(8), 0, 8 };
    if (!text.bytes)
        return -1;
    text.bytes = realloc(text.bytes, 16);    //~ realloc-lost
    if (!text.bytes)
        return -1;
    free(text.bytes);
    return 0;
}
