// leaks: 0
// memcpy, memmove with overlap, memset, memcmp, and moving structs and pointers as bytes.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    uint32_t id;
    uint8_t tag[4];
    struct record *next;
};

static void show(const char *label, const unsigned char *bytes, size_t count) {
    printf("%s ", label);
    for (size_t i = 0; i < count; i++)
        printf("%02x", bytes[i]);
    putchar('\n');
}

static void *own_move(void *to, const void *from, size_t count) {
    unsigned char *t = to;
    const unsigned char *f = from;
    if (t < f) {
        for (size_t i = 0; i < count; i++)
            t[i] = f[i];
    } else {
        while (count-- > 0)
            t[count] = f[count];
    }
    return to;
}

static void swap(void *a, void *b, size_t size) {
    unsigned char block[16];
    unsigned char *p = a;
    unsigned char *q = b;
    while (size > 0) {
        size_t part = size < sizeof block ? size : sizeof block;
        memcpy(block, p, part);
        memcpy(p, q, part);
        memcpy(q, block, part);
        p += part;
        q += part;
        size -= part;
    }
}

static uint32_t read_big_endian(const unsigned char *b) {
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void write_little_endian(unsigned char *b, uint64_t v) {
    for (int i = 0; i < 8; i++)
        b[i] = (unsigned char)(v >> 8 * i);
}

int main(void) {
    unsigned char a[16];
    unsigned char b[16];
    for (int i = 0; i < 16; i++)
        a[i] = b[i] = (unsigned char)(i * 16 + i);
    memmove(a + 2, a, 10);
    own_move(b + 2, b, 10);
    show("up", a, 16);
    printf("%d\n", memcmp(a, b, 16));
    memmove(a, a + 5, 11);
    own_move(b, b + 5, 11);
    show("down", a, 16);
    printf("%d\n", memcmp(a, b, 16));
    memset(a + 3, 0xee, 4);
    memset(a, 0, 0);
    show("set", a, 16);
    printf("%u\n", read_big_endian(a + 5));
    write_little_endian(a + 8, 0x0102030405060708ull);
    show("little", a + 8, 8);

    struct record first = { 1, { 'a', 'b', 'c', 'd' }, NULL };
    struct record second = { 2, { 'w', 'x', 'y', 'z' }, &first };
    swap(&first, &second, sizeof first);
    printf("%u %c %d %u\n", first.id, first.tag[3], first.next == &first, second.id);
    first.next = &second;

    struct record *heap = malloc(3 * sizeof *heap);
    if (!heap)
        return 1;
    memcpy(&heap[0], &first, sizeof first);
    memcpy(&heap[1], heap[0].next, sizeof first);
    memset(&heap[2], 0xff, sizeof heap[2].id + sizeof heap[2].tag);
    heap[2].next = &heap[0];
    printf("%u %u %x %u\n", heap[0].id, heap[1].id, heap[2].id, heap[2].next->next->id);

    struct record *pointer = &heap[1];
    unsigned char raw[sizeof pointer];
    memcpy(raw, &pointer, sizeof pointer);
    struct record *back;
    memcpy(&back, raw, sizeof back);
    printf("%d %u\n", back == pointer, back->id);

    int *numbers = calloc(6, sizeof *numbers);
    if (!numbers) {
        free(heap);
        return 1;
    }
    numbers[0] = 5;
    memcpy(numbers + 1, numbers, sizeof *numbers);
    memcpy(numbers + 2, numbers, 2 * sizeof *numbers);
    printf("%d %d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    int *bigger = realloc(numbers, 40 * sizeof *numbers);
    if (bigger)
        numbers = bigger;
    printf("%d %d\n", numbers[3], numbers[5]);
    char text[] = "remove the middle part";
    memmove(text + 7, text + 11, strlen(text + 11) + 1);
    puts(text);
    free(numbers);
    free(heap);
    return 0;
}
