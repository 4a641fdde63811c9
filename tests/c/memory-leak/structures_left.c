// Functions that release what a structure holds and leave the structure: nobody can use it again, and nobody releases it.
#include "stubs.h"

// On one way out the structure is released, on the other only its buffer.
struct reader { char *buffer; int fd; };

struct reader *reader_new(int fd) {
    struct reader *reader = malloc(sizeof *reader);
    if (!reader)
        return NULL;
    reader->buffer = malloc(512);
    if (!reader->buffer) {
        free(reader);
        return NULL;
    }
    reader->fd = fd;
    return reader;
}

int reader_close_bad(struct reader *reader) {
    if (close(reader->fd) < 0) {
        free(reader->buffer);    //~ memory-leak "reader"
        //?^ proved: the structure is still the caller's to free
        return -1;
    }
    free(reader->buffer);
    free(reader);
    return 0;
}

int reader_close_ok(struct reader *reader) {
    int failed = close(reader->fd) < 0;
    free(reader->buffer);
    if (!failed) {
        free(reader);
        return 0;
    }
    free(reader);
    return -1;
}

// The reader stays in use with another buffer, or without one.
int reader_refill_ok(struct reader *reader, size_t size) {
    free(reader->buffer);
    reader->buffer = malloc(size);
    if (!reader->buffer) {
        free(reader);
        return -1;
    }
    return 0;
}

int reader_drop_buffer_ok(struct reader *reader, int last) {
    free(reader->buffer);
    reader->buffer = NULL;
    if (last) {
        free(reader);
        return 1;
    }
    return 0;
}

// No function ever releases a matrix.
struct matrix { double *cells; int rows, columns; };

struct matrix *matrix_new(int rows, int columns) {
    struct matrix *matrix = malloc(sizeof *matrix);
    if (!matrix)
        return NULL;
    matrix->cells = calloc((size_t)rows * (size_t)columns, sizeof *matrix->cells);
    if (!matrix->cells) {
        free(matrix);
        return NULL;
    }
    matrix->rows = rows;
    matrix->columns = columns;
    return matrix;
}

void matrix_free_bad(struct matrix *matrix) {
    free(matrix->cells);    //~ memory-leak "matrix"
    //?^ proved: the structure is still the caller's to free
}

// Boxes also stand on the stack and in other structures, so whoever empties one need not release it.
struct box { char *text; };
struct pair { struct box one, two; };

struct box *box_new(const char *text) {
    struct box *box = malloc(sizeof *box);
    if (!box)
        return NULL;
    box->text = strdup(text);
    return box;
}

void box_empty_ok(struct box *box) {
    free(box->text);
}

void pair_empty_ok(struct pair *pair) {
    box_empty_ok(&pair->one);
    box_empty_ok(&pair->two);
}

// A callback that empties elements of a container, which releases them itself.
struct label { char *text; };
struct labels { void **items; size_t count; };

int labels_add(struct labels *labels, const char *text) {
    struct label *label = malloc(sizeof *label);
    if (!label)
        return -1;
    label->text = strdup(text);
    labels->items[labels->count++] = label;
    return 0;
}

void label_empty_ok(struct label *label) {
    free(label->text);
}

void labels_end_ok(struct labels *labels) {
    for (size_t i = 0; i < labels->count; i++) {
        label_empty_ok(labels->items[i]);
        free(labels->items[i]);
    }
    free(labels->items);
    free(labels);
}
