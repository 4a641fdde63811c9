// leaks: 0
// __int128 through `...`, where it fits registers: clang before 18 does not pass it right where it does not.
#include <stdarg.h>
#include <stdio.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

struct pair {
    long a;
    long b;
};

struct mixed {
    double d;
    long l;
};

struct big {
    long v[5];
};

static void show(wide value) {
    unsigned_wide bits = (unsigned_wide)value;
    printf("w%016llx.%016llx ", (unsigned long long)(bits >> 64), (unsigned long long)bits);
}

static void take(int kind, va_list list) {
    switch (kind) {
    case 'w':
        show(va_arg(list, wide));
        break;
    case 'i':
        printf("i%d ", va_arg(list, int));
        break;
    case 'l':
        printf("l%ld ", va_arg(list, long));
        break;
    case 'd':
        printf("d%.2f ", va_arg(list, double));
        break;
    case 'D':
        printf("D%.3Lf ", va_arg(list, long double));
        break;
    case 's':
        printf("s%s ", va_arg(list, const char *));
        break;
    case 'P': {
        struct pair p = va_arg(list, struct pair);
        printf("P%ld,%ld ", p.a, p.b);
        break;
    }
    case 'M': {
        struct mixed m = va_arg(list, struct mixed);
        printf("M%.1f,%ld ", m.d, m.l);
        break;
    }
    case 'B': {
        struct big b = va_arg(list, struct big);
        printf("B%ld,%ld ", b.v[0], b.v[4]);
        break;
    }
    }
}

static void describe(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++)
        take(*kinds, list);
    va_end(list);
    putchar('\n');
}

// Named parameters that use up registers of both kinds before the list begins.
static void after_names(int a, double x, long b, const char *kinds, double y, ...) {
    printf("%d %.1f %ld %.1f: ", a, x, b, y);
    va_list list;
    va_list again;
    va_start(list, y);
    va_copy(again, list);
    for (const char *kind = kinds; *kind; kind++)
        take(*kind, list);
    printf("| ");
    for (const char *kind = kinds; *kind; kind++)
        take(*kind, again);
    va_end(again);
    va_end(list);
    putchar('\n');
}

// The library walks the same list.
static void print(const char *format, ...) {
    va_list list;
    va_start(list, format);
    show(va_arg(list, wide));
    vprintf(format, list);
    va_end(list);
}

static wide sum(int count, ...) {
    va_list list;
    va_start(list, count);
    wide total = 0;
    while (count-- > 0)
        total += va_arg(list, wide);
    va_end(list);
    return total;
}

int main(void) {
    wide one = ((wide)0x0123456789abcdefLL << 64) + 0x1122334455667788LL;
    wide minus = -5;
    describe("w", one);
    describe("iw", 1, one);
    describe("wi", minus, 2);
    describe("iiiw", 1, 2, 3, one);
    describe("iiiwi", 1, 2, 3, minus, 4);
    describe("dwdwdl", 1.5, one, 2.5, minus, 3.5, 4L);
    describe("sDwDs", "first", 1.125L, one, 2.25L, "last");
    describe("PwMi", (struct pair){ 1, 2 }, one, (struct mixed){ 3.5, 4 }, 5);
    describe("MPwPM", (struct mixed){ 1.5, 2 }, (struct pair){ 3, 4 }, minus, (struct pair){ 5, 6 },
             (struct mixed){ 7.5, 8 });
    describe("BwB", (struct big){ { 1, 2, 3, 4, 5 } }, one, (struct big){ { 6, 7, 8, 9, 10 } });
    // Two longs that could be one wide number are two longs.
    describe("llwll", 1L, 2L, one, 3L, 4L);
    describe("illwll", 0, 1L, 2L, one, 3L, 4L);
    after_names(1, 2.5, 3, "wdi", 4.5, one, 5.5, 6);
    after_names(1, 2.5, 3, "iwd", 4.5, 7, minus, 8.5);
    print("%d %s %.2f %ld %c %d %d %d %.1f\n", one, 1, "two", 3.0, 4L, '5', 6, 7, 8, 9.5);
    describe("dddddddddwd", 1., 2., 3., 4., 5., 6., 7., 8., 9., one, 10.);
    show(sum(2, one, minus));
    putchar('\n');
    return 0;
}
