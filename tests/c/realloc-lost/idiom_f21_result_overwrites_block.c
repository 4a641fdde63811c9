// When realloc fails it returns NULL and keeps the old block: a result that overwrites
// the only pointer to the old block loses it.
#include "stubs.h"

struct buffer {
    char *data;
    size_t used;
    size_t capacity;
};

int result_overwrites_local_bad(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    data = realloc(data, 64);    //~ realloc-lost "data"
    if (!data)
        return -1;
    data[0] = '\0';
    free(data);
    return 0;
}

int result_overwrites_local_unchecked_bad(const char *text) {
    char *data = strdup(text);
    if (!data)
        return -1;
    data = realloc(data, 128);    //~ realloc-lost "data"
    free(data);
    return 0;
}

int result_overwrites_field_bad(void) {
    struct buffer buffer = { malloc(16), 0, 16 };
    if (!buffer.data)
        return -1;
    buffer.data = realloc(buffer.data, 32);    //~ realloc-lost "buffer.data"
    if (!buffer.data)
        return -1;
    buffer.capacity = 32;
    free(buffer.data);
    return 0;
}

char *result_overwrites_in_loop_bad(FILE *file) {
    size_t capacity = 32;
    size_t used = 0;
    char *line = malloc(capacity);
    if (!line)
        return NULL;
    int c;
    while ((c = fgetc(file)) != EOF) {
        if (used + 1 >= capacity) {
            capacity += 32;
            line = realloc(line, capacity);    //~ realloc-lost "line"
            if (!line)
                return NULL;
        }
        line[used++] = (char)c;
    }
    line[used] = '\0';
    return line;
}

int result_overwrites_fresh_owner_bad(void) {
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return -1;
    buffer->data = malloc(16);
    if (!buffer->data) {
        free(buffer);
        return -1;
    }
    buffer->data = realloc(buffer->data, 32);    //~ realloc-lost "buffer->data"
    free(buffer->data);
    free(buffer);
    return 0;
}

int array_variant_bad(void) {
    int *numbers = calloc(4, sizeof *numbers);
    if (!numbers)
        return -1;
    numbers = reallocarray(numbers, 8, sizeof *numbers);    //~ realloc-lost "numbers"
    if (!numbers)
        return -1;
    free(numbers);
    return 0;
}

int result_in_second_pointer_ok(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    char *bigger = realloc(data, 64);
    if (!bigger) {
        free(data);
        return -1;
    }
    data = bigger;
    data[0] = '\0';
    free(data);
    return 0;
}

int old_pointer_is_saved_ok(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    char *old = data;
    data = realloc(data, 64);
    if (!data) {
        free(old);
        return -1;
    }
    free(data);
    return 0;
}

int first_call_has_no_old_block_ok(void) {
    char *data = NULL;
    data = realloc(data, 64);
    if (!data)
        return -1;
    free(data);
    return 0;
}

int failure_ends_the_process_ok(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    data = realloc(data, 64);
    if (!data)
        exit(1);
    free(data);
    return 0;
}

int field_by_second_pointer_ok(struct buffer *buffer) {
    if (buffer->capacity > 4096)
        return -1;
    char *bigger = realloc(buffer->data, buffer->capacity + 32);
    if (!bigger)
        return -1;
    buffer->data = bigger;
    buffer->capacity += 32;
    return 0;
}

char *grown_in_loop_ok(FILE *file) {
    size_t capacity = 32;
    size_t used = 0;
    char *line = malloc(capacity);
    if (!line)
        return NULL;
    int c;
    while ((c = fgetc(file)) != EOF && capacity < 4096) {
        if (used + 1 >= capacity) {
            char *bigger = realloc(line, capacity + 32);
            if (!bigger) {
                free(line);
                return NULL;
            }
            line = bigger;
            capacity += 32;
        }
        line[used++] = (char)c;
    }
    line[used] = '\0';
    return line;
}

int shrinking_keeps_old_on_failure_ok(void) {
    char *data = malloc(64);
    if (!data)
        return -1;
    char *smaller = realloc(data, 16);
    if (smaller)
        data = smaller;
    free(data);
    return 0;
}
