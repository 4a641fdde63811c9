// leaks: 1
// Atomic operations in a single thread: builtins, _Atomic objects, compare-and-swap
// loops, pointers. The block that loses the exchange is never freed.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic int counter;
static atomic_uint_fast64_t wide = 5;
static _Atomic(struct node *) head;
static atomic_flag flag = ATOMIC_FLAG_INIT;

struct node {
    int value;
    struct node *next;
};

static void push(int value) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    node->value = value;
    node->next = atomic_load(&head);
    while (!atomic_compare_exchange_weak(&head, &node->next, node))
        ;
}

static int pop(void) {
    struct node *node = atomic_load(&head);
    while (node && !atomic_compare_exchange_weak(&head, &node, node->next))
        ;
    if (!node)
        return -1;
    int value = node->value;
    free(node);
    return value;
}

static int saturating_add(int *place, int by, int limit) {
    int old = __atomic_load_n(place, __ATOMIC_RELAXED);
    int fresh;
    do {
        fresh = old + by > limit ? limit : old + by;
    } while (!__atomic_compare_exchange_n(place, &old, fresh, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return fresh;
}

int main(void) {
    int plain = 10;
    printf("%d ", __atomic_fetch_add(&plain, 5, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_add_fetch(&plain, 5, __ATOMIC_RELAXED));
    printf("%d ", __atomic_fetch_sub(&plain, 1, __ATOMIC_ACQ_REL));
    printf("%d ", __atomic_fetch_or(&plain, 64, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_fetch_and(&plain, ~1, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_fetch_xor(&plain, 255, __ATOMIC_SEQ_CST));
    printf("%d ", __atomic_exchange_n(&plain, 7, __ATOMIC_SEQ_CST));
    printf("%d\n", plain);

    int expected = 8;
    printf("%d ", __atomic_compare_exchange_n(&plain, &expected, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    printf("%d ", expected);
    printf("%d ", __atomic_compare_exchange_n(&plain, &expected, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    printf("%d\n", plain);
    printf("%d ", __sync_fetch_and_add(&plain, 1));
    printf("%d ", __sync_val_compare_and_swap(&plain, 10, 20));
    printf("%d\n", __sync_bool_compare_and_swap(&plain, 10, 30));

    counter += 4;
    counter++;
    counter *= 3;
    --counter;
    printf("%d ", atomic_fetch_add(&counter, 1));
    printf("%d\n", atomic_load(&counter));
    atomic_store(&wide, 1ull << 40);
    atomic_fetch_sub(&wide, 1);
    printf("%llx\n", (unsigned long long)wide);
    printf("%d%d", atomic_flag_test_and_set(&flag), 0);
    printf("%d\n", atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);

    uint8_t byte = 250;
    __atomic_add_fetch(&byte, 10, __ATOMIC_SEQ_CST);
    int64_t big = -1;
    __atomic_fetch_add(&big, INT64_MAX, __ATOMIC_SEQ_CST);
    printf("%u %lld\n", byte, (long long)big);
    int limited = 95;
    printf("%d ", saturating_add(&limited, 3, 100));
    printf("%d\n", saturating_add(&limited, 30, 100));

    for (int i = 1; i <= 4; i++)
        push(i * i);
    printf("%d ", pop());
    printf("%d\n", pop());
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return 1;
    fresh->value = 99;
    fresh->next = NULL;
    struct node *wrong = NULL;
    if (!atomic_compare_exchange_strong(&head, &wrong, fresh))
        printf("kept %d\n", wrong->value);
    int rest = 0;
    for (int v = pop(); v >= 0; v = pop())
        rest += v;
    printf("%d\n", rest);
    atomic_thread_fence(memory_order_seq_cst);
    return 0;
}
