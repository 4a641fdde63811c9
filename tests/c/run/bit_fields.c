// leaks: 0
// Bit-fields: signed and unsigned, packed next to each other, copied, and in unions.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct flags {
    unsigned int ready : 1;
    unsigned int mode : 3;
    signed int delta : 4;
    unsigned int : 0;
    unsigned int count : 12;
    unsigned int kind : 20;
};

struct date {
    uint16_t day : 5;
    uint16_t month : 4;
    uint16_t year : 7;
};

struct wide {
    uint64_t low : 33;
    uint64_t high : 31;
    int64_t sign : 40;
};

union header {
    uint32_t word;
    struct {
        uint32_t version : 4;
        uint32_t length : 12;
        uint32_t id : 16;
    } field;
};

struct mixed {
    char letter;
    _Bool seen : 1;
    _Bool done : 1;
    unsigned char level : 6;
    int number;
};

static void show(struct flags f) {
    printf("%u %u %d %u %u\n", f.ready, f.mode, f.delta, f.count, f.kind);
}

static struct date next_day(struct date d) {
    if (++d.day > 30) {
        d.day = 1;
        if (++d.month > 12) {
            d.month = 1;
            d.year++;
        }
    }
    return d;
}

int main(void) {
    struct flags f;
    unsigned int three = 3;
    memset(&f, 0, sizeof f);
    f.ready = three;
    f.mode = three * 3;
    f.delta = -8;
    f.count = three + 4997;
    f.kind = 1000000;
    show(f);
    f.delta--;
    f.mode += 6;
    f.count <<= 1;
    f.ready ^= 1;
    show(f);
    struct flags copy = f;
    copy.kind = ~(three - 3);
    show(copy);
    show(f);

    struct date d = { 30, 12, 99 };
    for (int i = 0; i < 3; i++) {
        printf("%d-%d-%d\n", d.day, d.month, d.year);
        d = next_day(d);
    }

    struct wide w = { 0x1ffffffffull, 0x7fffffff, -1 };
    printf("%llx %llx %lld\n", (unsigned long long)w.low, (unsigned long long)w.high, (long long)w.sign);
    w.low++;
    w.sign = -(1LL << 39);
    printf("%llx %llx %lld\n", (unsigned long long)w.low, (unsigned long long)w.high, (long long)w.sign);

    union header h = { .word = 0xabcd1234 };
    printf("%x %x %x\n", h.field.version, h.field.length, h.field.id);
    h.field.length = 0x777;
    printf("%x\n", h.word);

    struct mixed m = { 'q', 1, 0, 63, -7 };
    m.level++;
    m.done = m.seen && !m.done;
    printf("%c %d %d %d %d\n", m.letter, m.seen, m.done, m.level, m.number);

    struct flags table[4];
    memset(table, 0, sizeof table);
    for (int i = 0; i < 4; i++) {
        table[i].count = (unsigned)(i * 1111);
        table[i].delta = i - 2;
    }
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (int)table[i].count * table[i].delta;
    printf("%d %zu %zu\n", sum, sizeof(struct flags), sizeof(struct date));
    return 0;
}
