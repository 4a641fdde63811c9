// leaks: 0
// Unions: tagged values, several views of the same bytes, and raw bytes of numbers.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

union bits {
    double d;
    uint64_t u;
    uint8_t b[8];
    struct {
        uint32_t low;
        uint32_t high;
    } half;
};

enum kind { KIND_INT, KIND_REAL, KIND_TEXT, KIND_PAIR };

struct value {
    enum kind kind;
    union {
        long integer;
        double real;
        const char *text;
        struct {
            short x;
            short y;
        } pair;
    } as;
};

static struct value of_int(long v) { return (struct value){ KIND_INT, { .integer = v } }; }
static struct value of_real(double v) { return (struct value){ KIND_REAL, { .real = v } }; }
static struct value of_text(const char *v) { return (struct value){ KIND_TEXT, { .text = v } }; }
static struct value of_pair(short x, short y) { return (struct value){ KIND_PAIR, { .pair = { x, y } } }; }

static void show(struct value v) {
    switch (v.kind) {
    case KIND_INT:
        printf("int %ld\n", v.as.integer);
        break;
    case KIND_REAL:
        printf("real %g\n", v.as.real);
        break;
    case KIND_TEXT:
        printf("text %s\n", v.as.text);
        break;
    case KIND_PAIR:
        printf("pair %d,%d\n", v.as.pair.x, v.as.pair.y);
        break;
    }
}

static struct value add(struct value a, struct value b) {
    if (a.kind == KIND_INT && b.kind == KIND_INT)
        return of_int(a.as.integer + b.as.integer);
    if (a.kind == KIND_PAIR && b.kind == KIND_PAIR)
        return of_pair((short)(a.as.pair.x + b.as.pair.x), (short)(a.as.pair.y + b.as.pair.y));
    double left = a.kind == KIND_REAL ? a.as.real : (double)a.as.integer;
    double right = b.kind == KIND_REAL ? b.as.real : (double)b.as.integer;
    return of_real(left + right);
}

static float from_bits(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static uint32_t to_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

int main(void) {
    union bits bits = { .d = 1.0 };
    printf("%llx %x %x\n", (unsigned long long)bits.u, bits.half.low, bits.half.high);
    bits.half.high |= 0x80000000u;
    printf("%g\n", bits.d);
    bits.u++;
    printf("%d\n", bits.d < -1.0);
    for (int i = 7; i >= 0; i--)
        printf("%02x", bits.b[i]);
    putchar('\n');
    bits.b[7] = 0x40;
    printf("%.3f\n", bits.d);

    show(add(of_int(40), of_int(2)));
    show(add(of_int(1), of_real(0.5)));
    show(add(of_pair(1, -2), of_pair(30, 40)));
    show(of_text("hello"));

    struct value list[4] = { of_int(1), of_real(2.5), of_text("three"), of_pair(4, 4) };
    struct value copy[4];
    memcpy(copy, list, sizeof list);
    copy[2] = of_int(-3);
    for (int i = 0; i < 4; i++)
        show(copy[i]);
    show(list[2]);

    printf("%08x %08x\n", to_bits(1.5f), to_bits(-0.0f));
    printf("%g %g\n", from_bits(0x40490fdb), from_bits(0x7f7fffff));
    uint32_t magic = 0x5f3759df - (to_bits(4.0f) >> 1);
    float guess = from_bits(magic);
    guess *= 1.5f - 0.5f * 4.0f * guess * guess;
    printf("%.4f\n", guess);
    return 0;
}
