// leaks: 0
// Structs of every size class passed, returned, nested, assigned and compared by value.
#include <stdio.h>

struct one {
    char c;
};

struct pair {
    int a;
    int b;
};

struct two_doubles {
    double x;
    double y;
};

struct mixed {
    int i;
    double d;
};

struct three_chars {
    char c[3];
};

struct large {
    long v[9];
    char name[12];
};

struct nested {
    struct pair first;
    struct large middle;
    struct two_doubles last;
};

static struct one make_one(char c) { return (struct one){ c }; }
static struct pair swap(struct pair p) { return (struct pair){ p.b, p.a }; }
static struct two_doubles scale(struct two_doubles p, double k) { return (struct two_doubles){ p.x * k, p.y * k }; }
static struct mixed mix(int i, struct mixed m) { return (struct mixed){ m.i + i, m.d * i }; }

static struct three_chars shift(struct three_chars t) {
    char first = t.c[0];
    t.c[0] = t.c[1];
    t.c[1] = t.c[2];
    t.c[2] = first;
    return t;
}

static struct large fill(long from) {
    struct large l = { { 0 }, "large" };
    for (int i = 0; i < 9; i++)
        l.v[i] = from * i;
    return l;
}

static long sum(struct large l) {
    long total = 0;
    for (int i = 0; i < 9; i++) {
        total += l.v[i];
        l.v[i] = 0;
    }
    return total + l.name[0];
}

static struct nested compose(struct pair p, struct large l, struct two_doubles d) {
    struct nested n;
    n.first = p;
    n.middle = l;
    n.last = d;
    return n;
}

static long many(struct pair a, long b, struct two_doubles c, struct large d, char e, struct one f, struct mixed g) {
    return a.a + a.b + b + (long)c.x + (long)c.y + d.v[2] + e + f.c + g.i + (long)g.d;
}

static struct pair recursive(struct pair p, int depth) {
    if (depth == 0)
        return p;
    struct pair q = recursive(swap(p), depth - 1);
    q.a += depth;
    return q;
}

int main(void) {
    printf("%c\n", make_one('z').c);
    struct pair p = swap((struct pair){ 1, 2 });
    printf("%d %d\n", p.a, p.b);
    struct two_doubles d = scale((struct two_doubles){ 1.5, -2.25 }, 4);
    printf("%.2f %.2f\n", d.x, d.y);
    struct mixed m = mix(3, (struct mixed){ 4, 0.5 });
    printf("%d %.2f\n", m.i, m.d);
    struct three_chars t = shift(shift((struct three_chars){ { 'a', 'b', 'c' } }));
    printf("%c%c%c\n", t.c[0], t.c[1], t.c[2]);

    struct large l = fill(7);
    printf("%ld %ld %s\n", sum(l), sum(l), l.name);
    struct large array[3] = { fill(1), fill(2), l };
    array[0] = array[2];
    array[2].v[1] = -1;
    printf("%ld %ld %ld\n", array[0].v[1], array[1].v[8], array[2].v[1]);

    struct nested n = compose(p, l, d);
    struct nested *pointer = &n;
    struct nested copy = *pointer;
    pointer->middle.v[3] = 1000;
    printf("%ld %ld %d %.1f\n", n.middle.v[3], copy.middle.v[3], copy.first.a, copy.last.y);
    printf("%ld\n", many(p, 10, d, l, 'A', make_one(1), m));
    struct pair r = recursive((struct pair){ 10, 20 }, 5);
    printf("%d %d\n", r.a, r.b);
    printf("%ld\n", sum(n.last.x > 5 ? fill(2) : fill(3)));
    printf("%d\n", (swap(swap(p)), swap(p)).a);
    return 0;
}
