// leaks: 0
// Inline functions, _Generic, _Static_assert, statement expressions, typeof, _Bool, alignment.
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

_Static_assert(sizeof(int) == 4, "int has four bytes");

static inline int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
static inline __attribute__((always_inline)) unsigned int mix(unsigned int h, unsigned int v) {
    h ^= v + 0x9e3779b9u + (h << 6) + (h >> 2);
    return h;
}
static __attribute__((noinline)) int pure_add(int a, int b) { return a + b; }

#define KIND(x) \
    _Generic((x), int: "int", unsigned int: "unsigned", long: "long", double: "double", float: "float", \
             char *: "string", const char *: "constant string", default: "other")

#define MAXIMUM(a, b) \
    ({ \
        __typeof__(a) left_ = (a); \
        __typeof__(b) right_ = (b); \
        left_ > right_ ? left_ : right_; \
    })

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PASTE(a, b) a##b
#define TEXT(x) #x

static int calls;
static int tick(void) { return ++calls; }

static bool both(bool a, bool b) { return a & b; }
static bool either(bool a, bool b) { return a || b; }

struct aligned {
    char c;
    alignas(16) int v;
};

static int short_circuit(int n) {
    int seen = 0;
    if (n > 0 && (seen += 1) && n < 10 && (seen += 10))
        seen += 100;
    if (n < 0 || (seen += 1000, n == 5) || (seen += 10000))
        seen += 100000;
    return seen;
}

int main(void) {
    printf("%d %d %d\n", clamp(5, 1, 3), clamp(-5, 1, 3), clamp(2, 1, 3));
    unsigned int h = 0;
    for (unsigned int i = 0; i < 100; i++)
        h = mix(h, i * i);
    printf("%u\n", h);
    const char *cs = "x";
    char buffer[2] = "y";
    printf("%s %s %s %s %s %s %s\n", KIND(1), KIND(1u), KIND(2L), KIND(1.5), KIND(1.5f), KIND(cs), KIND(&buffer[0]));
    printf("%s\n", KIND((short)1));
    printf("%d %.1f\n", MAXIMUM(tick(), 0), MAXIMUM(2.5, 1));
    printf("%d\n", calls);
    int PASTE(var, 7) = 70;
    printf("%d %s %zu\n", var7, TEXT(a + b), COUNT(((int[]){ 1, 2, 3 })));
    bool t = 5;
    bool f = !t;
    t += 3;
    printf("%d %d %d %d %d\n", t, f, both(t, f), either(t, f), (int)sizeof(bool));
    printf("%d\n", (bool)0.5 + (bool)"text");
    struct aligned a = { 'q', 9 };
    printf("%zu %zu %d\n", sizeof a, alignof(struct aligned), (int)((uintptr_t)&a.v % 16));
    int samples[] = { -1, 0, 5, 20 };
    for (size_t i = 0; i < COUNT(samples); i++)
        printf("%d ", short_circuit(samples[i]));
    putchar('\n');
    int x = 5;
    int y = (x++, x * 2);
    int z = x--;
    z -= --x;
    printf("%d %d %d\n", x, y, z);
    int *p = samples;
    int first = *p++;
    int third = *++p;
    (*p)++;
    printf("%d %d %d %ld\n", first, third, samples[2], (long)(p - samples));
    printf("%d\n", pure_add(clamp(100, 0, 10), x ?: 1));
    typeof(y) w = y >> 1 ?: 3;
    printf("%d\n", w);
    return 0;
}
