// leaks: 0
// 128-bit integers: arithmetic, shifts, comparison, conversion, and printing by parts.
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

static void show(u128 v) {
    char digits[40];
    int at = 39;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + (int)(v % 10));
        v /= 10;
    } while (v);
    puts(digits + at);
}

static void show_signed(i128 v) {
    if (v < 0) {
        putchar('-');
        show(-(u128)v);
    } else {
        show((u128)v);
    }
}

static void hex(u128 v) { printf("%016llx%016llx\n", (unsigned long long)(v >> 64), (unsigned long long)v); }

static u128 factorial(unsigned int n) {
    u128 result = 1;
    while (n > 1)
        result *= n--;
    return result;
}

static uint64_t multiply_modulo(uint64_t a, uint64_t b, uint64_t m) { return (uint64_t)((u128)a * b % m); }

static uint64_t power_modulo(uint64_t base, uint64_t exponent, uint64_t m) {
    uint64_t result = 1;
    for (base %= m; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = multiply_modulo(result, base, m);
        base = multiply_modulo(base, base, m);
    }
    return result;
}

static uint64_t high_half(uint64_t a, uint64_t b) { return (uint64_t)((u128)a * b >> 64); }

static u128 fibonacci(int n) {
    u128 a = 0;
    u128 b = 1;
    while (n-- > 0) {
        u128 next = a + b;
        a = b;
        b = next;
    }
    return a;
}

struct holder {
    char tag;
    u128 value;
};

static struct holder twice(struct holder h) {
    h.value += h.value;
    h.tag++;
    return h;
}

int main(void) {
    show(factorial(34));
    show(~(u128)0);
    show_signed(-((i128)1 << 100));
    show_signed((i128)-7 / 2);
    show_signed((i128)-7 % 2);
    show(fibonacci(180));
    hex((u128)0xfedcba9876543210ull * 0x123456789abcdefull);
    hex((u128)1 << 127 | 1);
    for (int n = 0; n < 128; n += 37)
        hex((((u128)0x0123456789abcdefull << 64) | 0xfedcba9876543210ull) >> n);
    hex((u128)((i128)-1 >> 70));
    hex((u128)(i128)(int64_t)-5);
    hex((u128)(uint64_t)-5);
    printf("%llu\n", (unsigned long long)power_modulo(3, 1000000006, 1000000007));
    printf("%llu\n", (unsigned long long)power_modulo(7, 123456789, 18446744073709551557ull));
    printf("%llx\n", (unsigned long long)high_half(~0ull, ~0ull));
    i128 a = -1;
    u128 b = 1;
    printf("%d %d %d\n", a < (i128)b, (u128)a < b, a == -1);
    printf("%d\n", (int)(((u128)5 << 64 | 9) / ((u128)1 << 63)));
    printf("%.1f\n", (double)((u128)1 << 80));
    show((u128)1e30);
    struct holder h = twice(twice((struct holder){ 'a', (u128)3 << 90 }));
    printf("%c ", h.tag);
    show(h.value);
    printf("%zu %d\n", sizeof(u128), (int)(h.value >> 92));
    u128 x = 10;
    x -= 11;
    x ^= (u128)0xff << 120;
    hex(x);
    return 0;
}
