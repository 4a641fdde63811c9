// leaks: 0
// Arithmetic on numbers of any length, held in growing heap blocks.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct number {
    uint32_t *limbs;
    size_t used;
    size_t capacity;
};

static void reserve(struct number *n, size_t wanted) {
    if (wanted <= n->capacity)
        return;
    size_t capacity = n->capacity ? n->capacity : 2;
    while (capacity < wanted)
        capacity *= 2;
    uint32_t *limbs = realloc(n->limbs, capacity * sizeof *limbs);
    if (!limbs)
        exit(1);
    n->limbs = limbs;
    n->capacity = capacity;
}

static struct number from_int(uint32_t v) {
    struct number n = { NULL, 0, 0 };
    reserve(&n, 1);
    n.limbs[0] = v;
    n.used = v ? 1 : 0;
    return n;
}

static void release(struct number *n) {
    free(n->limbs);
    memset(n, 0, sizeof *n);
}

static void multiply_small(struct number *n, uint32_t by) {
    uint64_t carry = 0;
    for (size_t i = 0; i < n->used; i++) {
        carry += (uint64_t)n->limbs[i] * by;
        n->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        reserve(n, n->used + 1);
        n->limbs[n->used++] = (uint32_t)carry;
    }
}

static uint32_t divide_small(struct number *n, uint32_t by) {
    uint64_t rest = 0;
    for (size_t i = n->used; i-- > 0;) {
        rest = rest << 32 | n->limbs[i];
        n->limbs[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    while (n->used && !n->limbs[n->used - 1])
        n->used--;
    return (uint32_t)rest;
}

static void add(struct number *to, const struct number *from) {
    size_t length = to->used > from->used ? to->used : from->used;
    reserve(to, length + 1);
    uint64_t carry = 0;
    for (size_t i = 0; i < length || carry; i++) {
        carry += (uint64_t)(i < to->used ? to->limbs[i] : 0) + (i < from->used ? from->limbs[i] : 0);
        to->limbs[i] = (uint32_t)carry;
        carry >>= 32;
        if (i >= to->used)
            to->used = i + 1;
    }
}

static struct number copy(const struct number *from) {
    struct number n = { NULL, 0, 0 };
    reserve(&n, from->used + 1);
    memcpy(n.limbs, from->limbs, from->used * sizeof *n.limbs);
    n.used = from->used;
    return n;
}

static char *to_text(const struct number *n) {
    struct number rest = copy(n);
    size_t size = n->used * 10 + 2;
    char *text = malloc(size);
    if (!text)
        exit(1);
    size_t at = size - 1;
    text[at] = '\0';
    do
        text[--at] = (char)('0' + divide_small(&rest, 10));
    while (rest.used);
    release(&rest);
    memmove(text, text + at, size - at);
    return text;
}

static void show(const struct number *n) {
    char *text = to_text(n);
    puts(text);
    free(text);
}

int main(void) {
    struct number f = from_int(1);
    for (uint32_t i = 2; i <= 60; i++)
        multiply_small(&f, i);
    show(&f);
    struct number a = from_int(0);
    struct number b = from_int(1);
    for (int i = 0; i < 300; i++) {
        add(&a, &b);
        struct number t = a;
        a = b;
        b = t;
    }
    show(&a);
    printf("%zu %zu\n", a.used, f.used);
    unsigned int digits = 0;
    struct number power = from_int(1);
    for (int i = 0; i < 500; i++)
        multiply_small(&power, 2);
    struct number rest = copy(&power);
    while (rest.used)
        digits += divide_small(&rest, 10);
    printf("%u\n", digits);
    printf("%u\n", divide_small(&power, 1000007));
    show(&power);
    release(&f);
    release(&a);
    release(&b);
    release(&power);
    release(&rest);
    return 0;
}
