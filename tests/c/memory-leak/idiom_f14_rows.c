// Rows of a matrix: acquired in one loop, released in another.
#include "stubs.h"

#define ROWS 3

struct matrix {
    int rows;
    int **row;
};

static void matrix_free(struct matrix *matrix) {
    if (!matrix)
        return;
    for (int i = 0; i < matrix->rows; i++)
        free(matrix->row[i]);
    free(matrix->row);
    free(matrix);
}

int fixed_rows_ok(void) {
    int *row[ROWS];
    int i, sum = 0;
    for (i = 0; i < ROWS; i++) {
        row[i] = calloc(4, sizeof(int));
        if (!row[i])
            goto unwind;
    }
    sum = row[0][0] + row[1][1] + row[2][2];
unwind:
    while (--i >= 0)
        free(row[i]);
    return sum;
}

struct matrix *matrix_new_ok(int rows, int columns) {
    struct matrix *matrix = malloc(sizeof *matrix);
    if (!matrix)
        return NULL;
    matrix->rows = 0;
    matrix->row = calloc((size_t)rows, sizeof(int *));
    if (!matrix->row) {
        free(matrix);
        return NULL;
    }
    for (int i = 0; i < rows; i++) {
        matrix->row[i] = calloc((size_t)columns, sizeof(int));
        if (!matrix->row[i]) {
            matrix_free(matrix);
            return NULL;
        }
        matrix->rows++;
    }
    return matrix;
}

int by_count_ok(unsigned int count) {
    char **names = malloc(count * sizeof *names);
    if (!names)
        return -1;
    for (unsigned int n = 0; n < count; n++)
        names[n] = malloc(10);
    for (unsigned int n = 0; n < count; n++)
        free(names[n]);
    free(names);
    return 0;
}

int unwind_is_missing_bad(void) {
    int *row[ROWS];
    for (int i = 0; i < ROWS; i++) {
        row[i] = calloc(4, sizeof(int));    //~ memory-leak
        if (!row[i])
            return -1;
    }
    for (int i = 0; i < ROWS; i++)
        free(row[i]);
    return 0;
}

int only_table_freed_bad(unsigned int count) {
    char **names = calloc(count, sizeof *names);
    if (!names)
        return -1;
    for (unsigned int n = 0; n < count; n++)
        names[n] = malloc(10);    //~ memory-leak
    free(names);
    return 0;
}
