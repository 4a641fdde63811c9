// leaks: 0
// Compiler builtins: counting bits, byte order, overflow checks, expectations, constants.
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static int checked_sum(const int *values, int count, int *out) {
    int total = 0;
    for (int i = 0; i < count; i++)
        if (__builtin_add_overflow(total, values[i], &total))
            return -1;
    *out = total;
    return 0;
}

static const char *multiply(long a, long b) {
    static char text[32];
    long product;
    if (__builtin_mul_overflow(a, b, &product))
        return "overflow";
    snprintf(text, sizeof text, "%ld", product);
    return text;
}

static unsigned int log2_floor(unsigned int v) { return 31u - (unsigned int)__builtin_clz(v); }

static uint32_t next_power_of_two(uint32_t v) { return v <= 1 ? 1 : 1u << (32 - __builtin_clz(v - 1)); }

static int choose(int kind) {
    switch (kind) {
    case 0:
        return 10;
    case 1:
        return 20;
    default:
        __builtin_unreachable();
    }
}

int main(void) {
    printf("%d %d %d\n", __builtin_popcount(0xf0f0u), __builtin_popcountl(~0ul), __builtin_popcountll(1ull << 40));
    printf("%d %d %d\n", __builtin_clz(1), __builtin_clz(0x80000000u), __builtin_clzll(0xffull));
    printf("%d %d %d\n", __builtin_ctz(8), __builtin_ctzl(1ul << 50), __builtin_ctzll(0xff00ull));
    printf("%d %d %d\n", __builtin_ffs(0), __builtin_ffs(12), __builtin_ffsll(1ll << 62));
    printf("%d %d\n", __builtin_parity(7), __builtin_parityll(0xffull));
    printf("%x %x %llx\n", __builtin_bswap16(0x1234), __builtin_bswap32(0x12345678),
           (unsigned long long)__builtin_bswap64(0x0123456789abcdefull));

    int ok[] = { 1, 2, 3 };
    int bad[] = { INT_MAX, -1, 1, 1 };
    int total = 0;
    int status = checked_sum(ok, 3, &total);
    printf("%d %d\n", status, total);
    status = checked_sum(bad, 4, &total);
    printf("%d %d\n", status, total);
    puts(multiply(3037000499L, 3037000499L));
    puts(multiply(3037000500L, 3037000500L));
    puts(multiply(-5, 7));

    unsigned char narrow;
    bool wraps = __builtin_add_overflow(200, 100, &narrow);
    printf("%d %d\n", wraps, narrow);
    wraps = __builtin_sub_overflow(5u, 6u, &narrow);
    printf("%d %d\n", wraps, narrow);
    unsigned int wide;
    wraps = __builtin_sub_overflow(5, 6, &wide);
    printf("%d %u\n", wraps, wide);
    int signed_result;
    wraps = __builtin_mul_overflow(65536u, 65536u, &signed_result);
    printf("%d %d\n", wraps, signed_result);
    int64_t big;
    wraps = __builtin_mul_overflow(INT_MAX, INT_MAX, &big);
    printf("%d %lld\n", wraps, (long long)big);
    uint64_t ubig;
    wraps = __builtin_add_overflow(UINT64_MAX, 1, &ubig);
    printf("%d %llu\n", wraps, (unsigned long long)ubig);

    for (unsigned int v = 1; v < 100000; v *= 7)
        printf("%u:%u:%u ", v, log2_floor(v), next_power_of_two(v));
    putchar('\n');
    if (__builtin_expect(total == 6, 1))
        puts("as expected");
    printf("%d %d\n", choose(0), choose(1));
    printf("%zu %d\n", __builtin_strlen("builtin"), __builtin_abs(-4));
    printf("%d\n", __builtin_types_compatible_p(int, signed int));
    printf("%d\n", __builtin_choose_expr(sizeof(int) == 4, 44, 88));
    printf("%d %d\n", __builtin_constant_p(3 + 4), __builtin_offsetof(struct { char c; long l; }, l) == 8);
    char copy[8];
    __builtin_memcpy(copy, "abcdefg", 8);
    __builtin_memset(copy + 2, '-', 3);
    puts(copy);
    printf("%.1f %d\n", __builtin_fabs(-2.5), __builtin_isnan(0.0));
    return 0;
}
