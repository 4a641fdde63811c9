// leaks: 1
// Long jumps: out of deep calls, values, nested handlers, retries. One block is lost
// because a jump skips its release.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf handler;
static int depth_reached;

static void dive(int depth, int limit) {
    depth_reached = depth;
    if (depth == limit)
        longjmp(handler, depth);
    if (depth < 1000)
        dive(depth + 1, limit);
    puts("never printed");
}

static int protected_dive(int limit) {
    int code = setjmp(handler);
    if (code == 0) {
        dive(1, limit);
        return -1;
    }
    return code;
}

struct frame {
    jmp_buf buffer;
    struct frame *outer;
};

static struct frame *top;

static void raise_error(int code) {
    struct frame *frame = top;
    if (!frame)
        exit(code);
    top = frame->outer;
    longjmp(frame->buffer, code);
}

static int divide(int a, int b) {
    if (b == 0)
        raise_error(33);
    return a / b;
}

static int safe_divide(int a, int b, int fallback) {
    struct frame frame;
    frame.outer = top;
    top = &frame;
    if (setjmp(frame.buffer) != 0)
        return fallback;
    int result = divide(a, b);
    top = frame.outer;
    return result;
}

static void rethrow(int level) {
    struct frame frame;
    frame.outer = top;
    top = &frame;
    int code = setjmp(frame.buffer);
    if (code == 0) {
        if (level == 0)
            raise_error(5);
        rethrow(level - 1);
        top = frame.outer;
        return;
    }
    printf("level %d code %d\n", level, code);
    raise_error(code + 1);
}

static void allocate_and_jump(void) {
    char *block = malloc(10);
    if (!block)
        exit(1);
    block[0] = 'x';
    longjmp(handler, block[0] == 'x' ? 7 : 8);
}

int main(void) {
    int landed = protected_dive(5);
    printf("%d %d\n", landed, depth_reached);
    printf("%d\n", protected_dive(40));
    printf("%d %d %d\n", safe_divide(10, 2, 0), safe_divide(1, 0, -7), safe_divide(9, 3, 0));

    volatile int attempts = 0;
    int result = setjmp(handler);
    attempts++;
    if (attempts < 4)
        longjmp(handler, attempts * 10);
    printf("%d %d\n", attempts, result);

    if (setjmp(handler) == 0)
        allocate_and_jump();
    else
        puts("jumped over a release");

    struct frame frame;
    frame.outer = NULL;
    top = &frame;
    int code = setjmp(frame.buffer);
    if (code == 0)
        rethrow(3);
    printf("main %d\n", code);

    if (setjmp(handler) == 0)
        longjmp(handler, 0);
    else
        puts("zero becomes one");
    return 0;
}
