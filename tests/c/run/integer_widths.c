// leaks: 0
// Arithmetic at every integer width, with wrap-around, promotion and sign extension.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static uint8_t add8(uint8_t a, uint8_t b) { return (uint8_t)(a + b); }
static uint16_t mul16(uint16_t a, uint16_t b) { return (uint16_t)((unsigned)a * b); }
static uint32_t mul32(uint32_t a, uint32_t b) { return a * b; }
static uint64_t mul64(uint64_t a, uint64_t b) { return a * b; }

static int8_t negate8(int8_t a) { return (int8_t)-a; }
static int16_t halve16(int16_t a) { return (int16_t)(a / 2); }
static int32_t remainder32(int32_t a, int32_t b) { return a % b; }
static int64_t divide64(int64_t a, int64_t b) { return a / b; }

static unsigned long long fold(const unsigned char *bytes, int count) {
    unsigned long long value = 14695981039346656037ull;
    for (int i = 0; i < count; i++) {
        value ^= bytes[i];
        value *= 1099511628211ull;
    }
    return value;
}

int main(void) {
    printf("%u %u\n", add8(250, 10), add8(1, 2));
    printf("%u %u\n", mul16(300, 300), mul16(255, 257));
    printf("%u %u\n", mul32(65536, 65536), mul32(123456789u, 987654321u));
    printf("%llu\n", (unsigned long long)mul64(0x123456789abcdefull, 0xfedcba987654321ull));

    printf("%d %d\n", negate8(-128), negate8(127));
    printf("%d %d\n", halve16(-7), halve16(-32768));
    printf("%d %d %d %d\n", remainder32(7, 3), remainder32(-7, 3), remainder32(7, -3), remainder32(-7, -3));
    printf("%lld %lld\n", (long long)divide64(-9, 2), (long long)divide64(INT64_MIN, 3));

    char c = 'A';
    signed char sc = -1;
    unsigned char uc = 255;
    short s = -1;
    unsigned short us = 65535;
    printf("%d %d %d %d %d\n", c + 1, sc, uc, s, us);
    printf("%d %d %d\n", sc == -1, uc == 255, sc == (signed char)uc);
    printf("%d\n", (short)us == s);

    printf("%zu %zu %zu %zu %zu\n", sizeof(char), sizeof(short), sizeof(int), sizeof(long), sizeof(long long));
    printf("%d %d\n", INT_MIN, INT_MAX);
    printf("%ld %lu\n", LONG_MIN, ULONG_MAX);

    unsigned int u = 0;
    u--;
    printf("%u %d\n", u, u == UINT_MAX);
    uint8_t small = 200;
    small += 100;
    small <<= 1;
    printf("%u\n", small);
    int8_t down = -100;
    down -= 100;
    printf("%d\n", down);

    long long total = 0;
    for (int8_t i = -128;; i++) {
        total = total * 3 + i;
        if (i == 127)
            break;
        total %= 1000003;
    }
    printf("%lld\n", total);

    unsigned char bytes[16];
    for (int i = 0; i < 16; i++)
        bytes[i] = (unsigned char)(i * 37 + 11);
    printf("%llx\n", fold(bytes, 16));

    uint16_t x = 0xffff;
    uint32_t y = x;
    int16_t z = (int16_t)x;
    int32_t w = z;
    printf("%x %d %d %x\n", y, z, w, (uint32_t)w);
    return 0;
}
