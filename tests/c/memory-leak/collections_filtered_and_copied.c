// Lists that are merged by recursion, filtered, copied and queued; all nodes hold something.
#include "stubs.h"
int more(void);
struct n { struct n *next; char *s; };
static struct n *mk(void) {
    struct n *p = calloc(1, sizeof *p);
    if (!p) exit(1);
    p->s = strdup(getenv("S") ? "x" : "y");
    return p;
}
static void one(struct n *p) { free(p->s); free(p); }
static void all(struct n *p) {
    while (p) { struct n *q = p->next; one(p); p = q; }
}
static void all_shallow(struct n *p) {
    while (p) { struct n *q = p->next; free(p); p = q; }
}
/* merge by recursion */
static struct n *merge(struct n *a, struct n *b) {
    if (!a) return b;
    if (!b) return a;
    if (strcmp(a->s, b->s) < 0) { a->next = merge(a->next, b); return a; }
    b->next = merge(a, b->next);
    return b;
}
int merge_ok(int n) {
    struct n *a = mk(), *b = mk();
    a = merge(a, b);
    all(a);
    return n;
}
int shallow_bad(int n) {
    struct n *a = mk();    //~ memory-leak
    a->next = NULL;
    all_shallow(a);
    return n;
}
int five_ok(int n) {
    struct n *l = NULL;
    for (int i = 0; i < 5; i++) { struct n *p = mk(); p->next = l; l = p; }
    all(l);
    return n;
}
int seven_ok(int n) {
    struct n *l = NULL;
    for (int i = 0; i < 7; i++) { struct n *p = mk(); p->next = l; l = p; }
    all(l);
    return n;
}
int filter_ok(int n) {
    struct n *l = NULL, **p;
    while (more()) { struct n *x = mk(); x->next = l; l = x; }
    for (p = &l; *p; ) {
        struct n *x = *p;
        if (x->s[0] == 'y') { *p = x->next; one(x); }
        else p = &x->next;
    }
    all(l);
    return n;
}
int filter_bad(int n) {
    struct n *l = NULL, **p;
    while (more()) { struct n *x = mk(); x->next = l; l = x; }    //~ memory-leak
    for (p = &l; *p; ) {
        struct n *x = *p;
        if (x->s[0] == 'y') { *p = x->next; }
        else p = &x->next;
    }
    all(l);
    return n;
}
static struct n *g;
void push_g(void) { struct n *p = mk(); p->next = g; g = p; }
void clear_g_ok(void) { all(g); g = NULL; }
void clear_g2_ok(void) { while (g) { struct n *t = g; g = g->next; one(t); } }
void reset_g_bad(void) { g = NULL; }    //~ miss(path) memory-leak: who calls nothing that acquires or releases is not evaluated
struct q { struct n *h, *t; };
static void qput(struct q *q, struct n *p) { p->next = NULL; if (q->t) q->t->next = p; else q->h = p; q->t = p; }
static struct n *qget(struct q *q) { struct n *p = q->h; if (p) { q->h = p->next; if (!q->h) q->t = NULL; p->next = NULL; } return p; }
int q_ok(int n) {
    struct q q = {0}; struct n *p;
    for (int i = 0; i < n; i++) qput(&q, mk());
    while ((p = qget(&q))) one(p);
    return 0;
}
int q_bad(int n) {
    struct q q = {0};
    qput(&q, mk());    //~ memory-leak
    qput(&q, mk());
    qget(&q);
    all(q.h);
    return 0;
}
static struct n *dup_list(const struct n *l) {
    struct n *out = NULL, **t = &out;
    for (; l; l = l->next) { *t = mk(); t = &(*t)->next; }
    return out;
}
int dup_ok(int n) {
    struct n *a = mk();
    a->next = mk();
    struct n *b = dup_list(a);
    all(a);
    all(b);
    return n;
}
int dup_bad(int n) {
    struct n *a = mk();
    a->next = mk();
    struct n *b = dup_list(a);    //~ memory-leak "b"
    all(a);
    return n;
}
