// leaks: 0
// Shifts, rotations, masks, and bit tricks at several widths.
#include <stdint.h>
#include <stdio.h>

static uint32_t rotate_left(uint32_t v, unsigned int n) {
    n &= 31;
    return n ? (v << n) | (v >> (32 - n)) : v;
}

static uint64_t rotate_right64(uint64_t v, unsigned int n) {
    n &= 63;
    return n ? (v >> n) | (v << (64 - n)) : v;
}

static int count_bits(uint64_t v) {
    int n = 0;
    while (v) {
        v &= v - 1;
        n++;
    }
    return n;
}

static uint8_t reverse_bits(uint8_t v) {
    v = (uint8_t)((v & 0xf0) >> 4 | (v & 0x0f) << 4);
    v = (uint8_t)((v & 0xcc) >> 2 | (v & 0x33) << 2);
    return (uint8_t)((v & 0xaa) >> 1 | (v & 0x55) << 1);
}

static uint32_t crc32(const char *text) {
    uint32_t crc = 0xffffffffu;
    while (*text) {
        crc ^= (uint8_t)*text++;
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

static uint32_t insert_field(uint32_t word, unsigned int at, unsigned int width, uint32_t value) {
    uint32_t mask = (width == 32 ? 0xffffffffu : (1u << width) - 1) << at;
    return (word & ~mask) | (value << at & mask);
}

static uint32_t extract_field(uint32_t word, unsigned int at, unsigned int width) {
    return word >> at & (width == 32 ? 0xffffffffu : (1u << width) - 1);
}

int main(void) {
    for (unsigned int n = 0; n < 40; n += 7)
        printf("%08x ", rotate_left(0x80000001u, n));
    putchar('\n');
    for (unsigned int n = 0; n < 70; n += 13)
        printf("%016llx ", (unsigned long long)rotate_right64(0x0123456789abcdefull, n));
    putchar('\n');
    printf("%d %d %d\n", count_bits(0), count_bits(~0ull), count_bits(0xf0f0f0f0ull));
    printf("%02x %02x %02x\n", reverse_bits(1), reverse_bits(0xb4), reverse_bits(0xff));
    printf("%08x\n", crc32("The quick brown fox jumps over the lazy dog"));

    uint32_t word = 0;
    word = insert_field(word, 0, 4, 0xa);
    word = insert_field(word, 4, 12, 0xbcd);
    word = insert_field(word, 16, 16, 0xfffff);
    printf("%08x %x %x %x\n", word, extract_field(word, 0, 4), extract_field(word, 4, 12), extract_field(word, 16, 16));
    printf("%08x\n", insert_field(word, 0, 32, 0x12345678));

    int negative = -1000;
    printf("%d %d %d\n", negative >> 1, negative >> 4, negative >> 31);
    int8_t tiny = -3;
    printf("%d %d\n", tiny >> 1, (uint8_t)tiny >> 1);
    uint16_t half = 0x8001;
    printf("%x %x\n", half << 1, (uint16_t)(half << 1));
    printf("%llx\n", 1ull << 63);
    printf("%lx\n", (unsigned long)half << 40);

    unsigned int gray[8];
    for (unsigned int i = 0; i < 8; i++)
        gray[i] = i ^ i >> 1;
    for (unsigned int i = 0; i < 8; i++)
        printf("%u", gray[i]);
    putchar('\n');

    uint32_t x = 0xdeadbeef;
    uint32_t y = 0x0badf00d;
    x ^= y;
    y ^= x;
    x ^= y;
    printf("%x %x\n", x, y);
    printf("%x\n", (x & y) + (x | y) == x + y ? 0xc0deu : 0u);
    uint64_t state = 88172645463325252ull;
    for (int i = 0; i < 1000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    printf("%llu\n", (unsigned long long)state);
    return 0;
}
