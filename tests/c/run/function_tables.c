// leaks: 0
// Function pointers: tables, callbacks with context, returned functions, virtual calls.
#include <stdio.h>
#include <string.h>

typedef int (*binary)(int, int);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }
static int power(int a, int b) { return b <= 0 ? 1 : a * power(a, b - 1); }

static const struct {
    const char *name;
    binary apply;
} operations[] = { { "add", add }, { "subtract", subtract }, { "multiply", multiply }, { "power", power } };

static binary find(const char *name) {
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(operations[i].name, name) == 0)
            return operations[i].apply;
    return NULL;
}

static int fold(const int *values, int count, int start, binary step) {
    for (int i = 0; i < count; i++)
        start = step(start, values[i]);
    return start;
}

static void each(const int *values, int count, void (*visit)(int, void *), void *context) {
    for (int i = 0; i < count; i++)
        visit(values[i], context);
}

struct range {
    int low;
    int high;
    int seen;
};

static void widen(int value, void *context) {
    struct range *range = context;
    if (!range->seen++ || value < range->low)
        range->low = value;
    if (range->seen == 1 || value > range->high)
        range->high = value;
}

struct shape;

struct shape_class {
    const char *name;
    double (*area)(const struct shape *);
    void (*grow)(struct shape *, double);
};

struct shape {
    const struct shape_class *class;
    double a;
    double b;
};

static double rectangle_area(const struct shape *s) { return s->a * s->b; }
static double triangle_area(const struct shape *s) { return s->a * s->b / 2; }
static void grow_both(struct shape *s, double k) {
    s->a *= k;
    s->b *= k;
}
static void grow_first(struct shape *s, double k) { s->a *= k; }

static const struct shape_class rectangle = { "rectangle", rectangle_area, grow_both };
static const struct shape_class triangle = { "triangle", triangle_area, grow_first };

static int state_start(char c);
static int state_digits(char c);
static int state_done(char c);
static int (*const states[])(char) = { state_start, state_digits, state_done };

static int state_start(char c) { return c >= '0' && c <= '9' ? 1 : 0; }
static int state_digits(char c) { return c >= '0' && c <= '9' ? 1 : 2; }
static int state_done(char c) { return c == ';' ? 0 : 2; }

static binary (*pick(int which))(const char *) { return which ? find : NULL; }

int main(void) {
    const int values[] = { 4, -7, 12, 3 };
    printf("%d %d\n", fold(values, 4, 0, add), fold(values, 4, 1, multiply));
    printf("%d %d\n", find("power")(3, 7), find("missing") == NULL);
    printf("%d\n", pick(1)("subtract")(10, 4));
    for (int i = 0; i < 4; i++)
        printf("%s=%d ", operations[i].name, (*operations[i].apply)(6, 3));
    putchar('\n');

    struct range range = { 0, 0, 0 };
    each(values, 4, widen, &range);
    printf("%d..%d %d\n", range.low, range.high, range.seen);

    struct shape shapes[] = { { &rectangle, 3, 4 }, { &triangle, 3, 4 } };
    for (int i = 0; i < 2; i++) {
        shapes[i].class->grow(&shapes[i], 2);
        printf("%s %.1f\n", shapes[i].class->name, shapes[i].class->area(&shapes[i]));
    }

    int state = 0;
    for (const char *c = "ab12x;9;77 ;"; *c; c++) {
        state = states[state](*c);
        printf("%d", state);
    }
    putchar('\n');
    binary chosen = values[1] < 0 ? subtract : add;
    printf("%d %d\n", chosen(1, 2), chosen == subtract);
    return 0;
}
