// leaks: 0
// Compound literals, designated initialisers, flexible array members, nested aggregates.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    int x;
    int y;
};

struct line {
    struct point from;
    struct point to;
    const char *label;
};

struct config {
    unsigned int flags;
    struct {
        int low;
        int high;
    } limits;
    union {
        int code;
        char name[8];
    };
    int table[2][3];
};

struct text {
    size_t length;
    char bytes[];
};

static int area(const struct point *p) { return p->x * p->y; }

static int sum(const int *values) {
    int total = 0;
    while (*values)
        total += *values++;
    return total;
}

static struct line shifted(struct line l, int by) {
    return (struct line){ .from = { l.from.x + by, l.from.y }, .to = { l.to.x + by, .y = l.to.y }, .label = l.label };
}

static struct text *text_new(const char *from) {
    size_t length = strlen(from);
    struct text *t = malloc(sizeof *t + length + 1);
    if (!t)
        exit(1);
    t->length = length;
    memcpy(t->bytes, from, length + 1);
    return t;
}

int main(void) {
    printf("%d %d\n", area(&(struct point){ 3, 4 }), sum((int[]){ 1, 2, 3, 4, 0 }));
    struct point *p = &(struct point){ .y = 7 };
    p->x += 5;
    printf("%d %d\n", p->x, p->y);

    struct line l = { .to = { 10, 20 }, .label = "line", .from.y = 3 };
    struct line m = shifted(l, 100);
    printf("%d %d %d %d %s\n", m.from.x, m.from.y, m.to.x, m.to.y, m.label);

    struct config c = { .limits.high = 9, .table = { [1] = { [1] = 5, 6 } }, .name = "abc" };
    printf("%u %d %d %s %d %d %d\n", c.flags, c.limits.low, c.limits.high, c.name, c.table[1][0], c.table[1][1], c.table[1][2]);
    c = (struct config){ 1, { 2, 3 }, { .code = 'A' }, { { 4 } } };
    printf("%u %d %d %c %d %d\n", c.flags, c.limits.low, c.limits.high, c.name[0], c.table[0][0], c.table[1][2]);

    int sparse[] = { [9] = 1, [3] = 7, 8, [0 ... 1] = 2 };
    for (size_t i = 0; i < sizeof sparse / sizeof sparse[0]; i++)
        printf("%d", sparse[i]);
    putchar('\n');

    struct point corners[] = { { 1 }, { .y = 2 }, [4] = { 5, 6 } };
    printf("%zu", sizeof corners / sizeof corners[0]);
    for (int i = 0; i < 5; i++)
        printf(" %d,%d", corners[i].x, corners[i].y);
    putchar('\n');

    struct text *t = text_new("flexible array");
    printf("%zu %s %zu\n", t->length, t->bytes, sizeof *t);
    free(t);

    const char *lines[] = { "first " "joined", "second\ttab", "quote \" \\ \x41\102" };
    for (int i = 0; i < 3; i++)
        puts(lines[i]);
    char zero_filled[6] = "ab";
    printf("%d%d%d\n", zero_filled[1], zero_filled[2], zero_filled[5]);

    for (int i = 0; i < 3; i++) {
        struct point *q = &(struct point){ i, i * i };
        q->x++;
        printf("%d:%d ", q->x, q->y);
    }
    putchar('\n');
    int grid[2][2] = { { 1, 2 }, { 3, 4 } };
    int copy[2][2];
    memcpy(copy, grid, sizeof grid);
    printf("%d %d\n", copy[0][1], copy[1][0]);
    printf("%d\n", ((struct point[]){ { 1, 2 }, { 3, 4 } })[1].y);
    printf("%c\n", "indexed"[2]);
    return 0;
}
