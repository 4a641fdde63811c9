// leaks: 0
// The usual arithmetic conversions: which comparison is signed, and what a cast keeps.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static const char *less(bool result) { return result ? "less" : "not less"; }

static int compare_mixed(int a, unsigned int b) { return a < b ? 1 : 0; }
static int compare_long(long a, unsigned int b) { return a < b ? 1 : 0; }

static uint64_t extend_unsigned(uint32_t v) { return v; }
static uint64_t extend_signed(int32_t v) { return (uint64_t)v; }
static int32_t cut(int64_t v) { return (int32_t)v; }
static uint8_t cut8(int v) { return (uint8_t)v; }
static int8_t cut8s(int v) { return (int8_t)v; }

int main(void) {
    puts(less(-1 < 0));
    puts(less((unsigned)-1 < 0u + 1u));
    printf("%d %d\n", compare_mixed(-1, 1), compare_mixed(0, 1));
    printf("%d %d\n", compare_long(-1, 1), compare_long(5000000000L, 1));

    printf("%llx %llx\n", (unsigned long long)extend_unsigned(0x80000000u),
           (unsigned long long)extend_signed(INT32_MIN));
    printf("%d %d\n", cut(0x1122334455667788LL), cut(-1));
    for (int v = -300; v <= 300; v += 100)
        printf("%d:%u:%d ", v, cut8(v), cut8s(v));
    putchar('\n');

    unsigned short us = 40000;
    short s = (short)us;
    printf("%d %d\n", us + us, s + s);
    unsigned char a = 200, b = 100;
    printf("%d %d %d\n", a + b, (unsigned char)(a + b), (signed char)(a + b));
    printf("%d\n", ~a);
    printf("%d\n", (unsigned char)~a);
    printf("%d\n", -a);

    int i = -5;
    unsigned int u = 3;
    printf("%u\n", i + u);
    printf("%u\n", i * u);
    printf("%u\n", (unsigned)i / u);
    printf("%d\n", i / (int)u);
    printf("%d\n", (i > 0) == ((unsigned)i > 0u));

    long long big = -1;
    unsigned int low = (unsigned int)big;
    unsigned long long wide = low;
    printf("%u %llu\n", low, wide);
    printf("%d\n", big == (long long)wide);
    printf("%d\n", (int)low == big);

    bool flag = 256;
    double quarter = 0.25;
    bool other = quarter;
    printf("%d %d %d\n", flag, other, flag + other);
    bool *pointer = flag ? &other : NULL;
    _Bool from_pointer = (_Bool)pointer;
    printf("%d\n", from_pointer);

    double d = -2.75;
    printf("%d %d %u\n", (int)d, (int)-d, (unsigned)(d * -4));
    printf("%lld\n", (long long)1e15);
    printf("%.1f %.1f\n", (double)(uint64_t)-1, (double)(int64_t)-1);
    int odd = 16777217;
    float f = odd;
    printf("%.1f\n", f);

    int conditional = 1;
    printf("%lld\n", conditional ? -1 : (long long)0u);
    printf("%u\n", conditional ? -1 : 0u);
    return 0;
}
