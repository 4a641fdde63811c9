// leaks: 0
// Gotos: out of nested loops, into loops, backward, and computed through label addresses.
#include <stdio.h>

enum opcode { OP_PUSH, OP_ADD, OP_MUL, OP_SUB, OP_DUP, OP_SWAP, OP_JUMP_IF, OP_PRINT, OP_HALT };

static int run(const int *code) {
    static const void *const labels[] = { &&push, &&add, &&mul, &&sub, &&dup, &&swap, &&jump_if, &&print, &&halt };
    int stack[16];
    int top = 0;
    int at = 0;
    int steps = 0;

#define NEXT() \
    do { \
        steps++; \
        goto *labels[code[at++]]; \
    } while (0)

    NEXT();
push:
    stack[top++] = code[at++];
    NEXT();
add:
    top--;
    stack[top - 1] += stack[top];
    NEXT();
mul:
    top--;
    stack[top - 1] *= stack[top];
    NEXT();
sub:
    top--;
    stack[top - 1] -= stack[top];
    NEXT();
dup:
    stack[top] = stack[top - 1];
    top++;
    NEXT();
swap: {
    int t = stack[top - 1];
    stack[top - 1] = stack[top - 2];
    stack[top - 2] = t;
    NEXT();
}
jump_if:
    top--;
    if (stack[top])
        at = code[at];
    else
        at++;
    NEXT();
print:
    printf("%d ", stack[top - 1]);
    NEXT();
halt:
    return steps;
}

static int search(int grid[3][4], int wanted) {
    int r;
    int c;
    for (r = 0; r < 3; r++)
        for (c = 0; c < 4; c++)
            if (grid[r][c] == wanted)
                goto found;
    return -1;
found:
    return r * 10 + c;
}

static unsigned int enter_in_the_middle(unsigned int n, int skip) {
    unsigned int i = 0;
    unsigned int work = 0;
    if (skip)
        goto middle;
top:
    work += i;
    i++;
middle:
    work ^= i * 3;
    i++;
    if (i < n)
        goto top;
    return work;
}

static int retry(int limit) {
    int attempts = 0;
    int budget = limit;
again:
    attempts++;
    budget -= attempts;
    if (budget > 0)
        goto again;
    return attempts;
}

static int into_switch(int n) {
    int result = 0;
    switch (n & 3) {
    case 0:
        do {
            result += 1;
        case 3:
            result += 10;
        case 2:
            result += 100;
        case 1:
            result += 1000;
            n -= 4;
        } while (n > 0);
    }
    return result;
}

int main(void) {
    const int factorial[] = { OP_PUSH, 1, OP_PUSH, 6, OP_DUP, OP_PRINT, OP_SUB, OP_HALT };
    printf("%d\n", run(factorial));
    const int countdown[] = { OP_PUSH, 5,       OP_PRINT, OP_PUSH, 1,       OP_SUB,
                              OP_DUP,  OP_JUMP_IF, 2,     OP_PUSH, 7,       OP_ADD,
                              OP_PRINT, OP_PUSH, 3,       OP_MUL,  OP_PUSH, 2,
                              OP_SWAP, OP_SUB,  OP_PRINT, OP_HALT };
    printf("%d\n", run(countdown));
    int grid[3][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } };
    printf("%d %d %d\n", search(grid, 7), search(grid, 12), search(grid, 99));
    printf("%u %u\n", enter_in_the_middle(20, 0), enter_in_the_middle(20, 1));
    printf("%d %d\n", retry(1), retry(100));
    for (int n = 1; n < 10; n++)
        printf("%d ", into_switch(n));
    putchar('\n');
    void *target = grid[0][0] == 1 ? &&yes : &&no;
    goto *target;
no:
    puts("no");
    return 1;
yes:
    puts("yes");
    return 0;
}
