// leaks: 0
// Arrays of arrays, pointers to rows, negative indices, and variable length arrays.
#include <stdio.h>
#include <string.h>

#define ROWS 4
#define COLUMNS 5

static int grid[ROWS][COLUMNS] = { { 1, 2, 3 }, [2] = { [4] = 9, [0] = 7 }, { 5 } };
static const char words[3][8] = { "alpha", "beta", "gamma" };
static const char *const names[] = { "one", "two", "three", "four" };

static long sum_rows(int (*rows)[COLUMNS], int count) {
    long total = 0;
    for (int r = 0; r < count; r++)
        for (int c = 0; c < COLUMNS; c++)
            total += rows[r][c] * (r + 1);
    return total;
}

static void multiply(int n, double a[n][n], double b[n][n], double out[n][n]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double cell = 0;
            for (int k = 0; k < n; k++)
                cell += a[i][k] * b[k][j];
            out[i][j] = cell;
        }
    }
}

static void transpose(int matrix[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = i + 1; j < 3; j++) {
            int t = matrix[i][j];
            matrix[i][j] = matrix[j][i];
            matrix[j][i] = t;
        }
    }
}

static int life_step(int n, char field[n][n]) {
    char next[n][n];
    int alive = 0;
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            int around = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (dx || dy)
                        around += field[(y + dy + n) % n][(x + dx + n) % n];
            next[y][x] = (char)(around == 3 || (field[y][x] && around == 2));
            alive += next[y][x];
        }
    }
    memcpy(field, next, sizeof next);
    return alive;
}

int main(void) {
    printf("%ld\n", sum_rows(grid, ROWS));
    printf("%d %d %d\n", grid[2][4], *(grid[2]), (*(grid + 3))[0]);
    int *flat = &grid[0][0];
    int *middle = grid[2];
    printf("%d %d %ld\n", flat[2], middle[0], (long)(middle - flat));
    for (int i = 0; i < 3; i++)
        printf("%s %c ", words[i], words[i][i]);
    printf("%s %zu\n", names[3] + 1, sizeof names / sizeof names[0]);

    int matrix[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
    transpose(matrix);
    for (int i = 0; i < 9; i++)
        printf("%d ", matrix[i / 3][i % 3]);
    putchar('\n');

    double fibonacci[2][2] = { { 1, 1 }, { 1, 0 } };
    double power[2][2] = { { 1, 0 }, { 0, 1 } };
    double work[2][2];
    for (int i = 0; i < 30; i++) {
        multiply(2, power, fibonacci, work);
        memcpy(power, work, sizeof power);
    }
    printf("%.0f\n", power[0][1]);

    char field[8][8] = { { 0 } };
    field[0][1] = field[1][2] = field[2][0] = field[2][1] = field[2][2] = 1;
    for (int step = 0; step < 12; step++)
        printf("%d ", life_step(8, field));
    putchar('\n');
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            if (field[y][x])
                printf("(%d,%d)", y, x);
    putchar('\n');

    int cube[2][3][4];
    int n = 0;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 4; c++)
                cube[a][b][c] = n++;
    int(*plane)[4] = cube[1];
    printf("%d %d %d\n", cube[1][2][3], plane[1][2], *(*(*(cube + 1) + 2) + 1));

    for (int length = 1; length <= 3; length++) {
        int row[length * 2];
        for (int i = 0; i < length * 2; i++)
            row[i] = i * length;
        printf("%zu %d\n", sizeof row, row[length * 2 - 1]);
    }
    return 0;
}
