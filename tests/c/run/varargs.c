// leaks: 0
// Variadic functions of our own: every kind of argument, copies of the list, forwarding.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct small {
    int a;
    int b;
};

struct big {
    long v[5];
};

struct point {
    float x;
    float y;
};

struct reals {
    double x;
    double y;
};

static int sum_ints(int count, ...) {
    va_list list;
    va_start(list, count);
    int total = 0;
    while (count-- > 0)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static double sum_doubles(int count, ...) {
    va_list list;
    va_start(list, count);
    double total = 0;
    for (int i = 0; i < count; i++)
        total += va_arg(list, double);
    va_end(list);
    return total;
}

static void describe(const char *kinds, ...) {
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i':
            printf("i%d ", va_arg(list, int));
            break;
        case 'l':
            printf("l%ld ", va_arg(list, long));
            break;
        case 'u':
            printf("u%llu ", va_arg(list, unsigned long long));
            break;
        case 'd':
            printf("d%.2f ", va_arg(list, double));
            break;
        case 's':
            printf("s%s ", va_arg(list, const char *));
            break;
        case 'p':
            printf("p%d ", *va_arg(list, int *));
            break;
        case 'S': {
            struct small s = va_arg(list, struct small);
            printf("S%d,%d ", s.a, s.b);
            break;
        }
        case 'F': {
            struct point p = va_arg(list, struct point);
            printf("F%.1f,%.1f ", p.x, p.y);
            break;
        }
        case 'R': {
            struct reals r = va_arg(list, struct reals);
            printf("R%.1f,%.1f ", r.x, r.y);
            break;
        }
        case 'B': {
            struct big b = va_arg(list, struct big);
            printf("B%ld,%ld ", b.v[0], b.v[4]);
            break;
        }
        }
    }
    va_end(list);
    putchar('\n');
}

static int length_of(const char *format, va_list list) {
    char ignored[1];
    return vsnprintf(ignored, sizeof ignored, format, list);
}

static int measured_print(const char *format, ...) {
    va_list list;
    va_list again;
    va_start(list, format);
    va_copy(again, list);
    int length = length_of(format, list);
    va_end(list);
    char buffer[64];
    vsnprintf(buffer, sizeof buffer, format, again);
    va_end(again);
    printf("[%s]", buffer);
    return length;
}

static const char *longest(const char *first, ...) {
    va_list list;
    va_start(list, first);
    const char *best = first;
    const char *next;
    while ((next = va_arg(list, const char *)) != NULL)
        if (strlen(next) > strlen(best))
            best = next;
    va_end(list);
    return best;
}

int main(void) {
    int number = 99;
    printf("%d %d\n", sum_ints(0), sum_ints(10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    printf("%.2f\n", sum_doubles(12, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 0.25, 0.5));
    describe("ilds", -1, 123456789012L, 2.5, "text");
    describe("udpi", 18446744073709551615ull, -0.125, &number, 'A');
    describe("SRB", (struct small){ 1, 2 }, (struct reals){ 3.5, 4.5 }, (struct big){ { 5, 6, 7, 8, 9 } });
    describe("iiiiiiiSdddddddddR", 1, 2, 3, 4, 5, 6, 7, (struct small){ 8, 9 }, 1., 2., 3., 4., 5., 6., 7., 8., 9.,
             (struct reals){ 10, 11 });
    describe("BiBi", (struct big){ { 1, 0, 0, 0, 2 } }, 3, (struct big){ { 4, 0, 0, 0, 5 } }, 6);
    describe("FiFlF", (struct point){ 1.5f, 2.5f }, 3, (struct point){ 4.5f, 5.5f }, 6L, (struct point){ 7, 8 });
    short s = -3;
    float f = 0.75f;
    unsigned char c = 200;
    describe("idi", s, f, c);
    printf(" %d\n", measured_print("%s-%d-%c", "abc", 42, 'x'));
    printf("%s\n", longest("a", "four", "seventeen", "xyz", (char *)NULL));
    return 0;
}
