// Lists built by loops and by recursion, turned round by both, and released through the head, its address, or a structure.
#include "stubs.h"
int more(void);
struct bead { struct bead *next; int v; };
static struct bead *bead(void) {
    struct bead *b = malloc(sizeof *b);
    if (!b)
        exit(1);
    b->next = NULL;
    return b;
}
static struct bead *rev_rec(struct bead *x, struct bead *done) {
    if (!x)
        return done;
    struct bead *rest = x->next;
    x->next = done;
    return rev_rec(rest, x);
}
static struct bead *rev_do(struct bead *x) {
    struct bead *y = NULL;
    if (!x) return NULL;
    do {
        struct bead *t = x->next;
        x->next = y;
        y = x;
        x = t;
    } while (x);
    return y;
}
struct chain { struct bead *head; int count; };
static void chain_rev(struct chain *c) {
    struct bead *y = NULL, *x = c->head;
    while (x) {
        struct bead *t = x->next;
        x->next = y;
        y = x;
        x = t;
    }
    c->head = y;
}
static void drop(struct bead *x) {
    while (x) {
        struct bead *t = x->next;
        free(x);
        x = t;
    }
}
static void drop_rec(struct bead *x) {
    if (x) {
        drop_rec(x->next);
        free(x);
    }
}
static void drop_addr_rec(struct bead **x) {
    if (!*x) return;
    drop_addr_rec(&(*x)->next);
    free(*x);
    *x = NULL;
}
static void drop_addr_do(struct bead **p) {
    struct bead *s = *p, *t;
    if (!s) return;
    do { t = s->next; free(s); s = t; } while (s);
    *p = NULL;
}
static void chain_end(struct chain *c) {
    while (c->head) {
        struct bead *t = c->head->next;
        free(c->head);
        c->head = t;
    }
    c->count = 0;
}
int rec_ok(int n) {
    struct bead *a = bead();
    a->next = bead();
    a = rev_rec(a, NULL);
    drop(a);
    return n;
}
int rec_bad(int n) {
    struct bead *a = bead();
    a->next = bead();    //~ memory-leak
    rev_rec(a, NULL);
    drop(a);
    return n;
}
int do_ok(int n) {
    struct bead *a = bead();
    a->next = bead();
    a = rev_do(a);
    drop_rec(a);
    return n;
}
int do_bad(int n) {
    struct bead *a = bead();
    a->next = bead();    //~ memory-leak
    rev_do(a);
    drop_rec(a);
    return n;
}
int chain_ok(int n) {
    struct chain c = { bead(), 1 };
    c.head->next = bead();
    chain_rev(&c);
    chain_end(&c);
    return n;
}
int chain_bad(int n) {
    struct chain c = { bead(), 1 };
    struct bead *first = c.head;
    c.head->next = bead();    //~ memory-leak
    chain_rev(&c);
    drop(first);
    return n;
}
static struct bead *build(void) {
    struct bead *first = bead(), *last = first;
    while (more()) {
        last->next = bead();
        last = last->next;
    }
    return first;
}
static struct bead *build_head(void) {
    struct bead *first = NULL;
    while (more()) {
        struct bead *b = bead();
        b->next = first;
        first = b;
    }
    return first;
}
static struct bead *build_rec(int n) {
    if (n == 0) return NULL;
    struct bead *b = bead();
    b->next = build_rec(n - 1);
    return b;
}
int addr_rec_ok(int n) {
    struct bead *s = build();
    drop_addr_rec(&s);
    return n;
}
int addr_do_ok(int n) {
    struct bead *s = build();
    drop_addr_do(&s);
    return n;
}
int addr_do_bad(int n) {
    struct bead *s = build();    //~ memory-leak
    if (more()) return 1;
    drop_addr_do(&s);
    return n;
}
int headed_ok(int n) {
    struct bead *s = build_head();
    drop_addr_do(&s);
    return n;
}
int headed_struct_ok(int n) {
    struct chain c = { build_head(), 0 };
    chain_end(&c);
    return n;
}
int headed_struct_bad(int n) {
    struct chain c = { build_head(), 0 };    //~ memory-leak
    if (more()) return 1;
    chain_end(&c);
    return n;
}
int built_rec_ok(int n) {
    struct bead *s = build_rec(n);
    drop_rec(s);
    return n;
}
int built_rec_loop_ok(int n) {
    struct bead *s = build_rec(n);
    drop(s);
    return n;
}
int built_rec_bad(int n) {
    struct bead *s = build_rec(n);    //~ memory-leak
    if (more()) return 1;
    drop(s);
    return n;
}
int reversed_built_ok(int n) {
    struct bead *s = build();
    s = rev_do(s);
    drop_addr_do(&s);
    return n;
}
int reversed_built_bad(int n) {
    struct bead *s = build();    //~ memory-leak
    rev_do(s);
    drop_addr_do(&s);
    return n;
}
