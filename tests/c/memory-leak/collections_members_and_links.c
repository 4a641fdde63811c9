// Members of elements, released by loops and helpers; nodes that are cut out of a list by every kind of walk.
#include "stubs.h"
struct rec { char *label, *value; };
struct recs { struct rec *list; size_t n; };
int recs_add(struct recs *r, const char *a, const char *b) {
    struct rec *list = realloc(r->list, (r->n + 1) * sizeof *list);
    if (!list) return -1;
    r->list = list;
    list[r->n].label = strdup(a);
    list[r->n].value = strdup(b);
    r->n++;
    return 0;
}
void recs_free_ok(struct recs *r) {
    for (size_t i = 0; i < r->n; i++) {
        free(r->list[i].label);
        free(r->list[i].value);
    }
    free(r->list);
    free(r);
}
void recs_free_bad(struct recs *r) {
    for (size_t i = 0; i < r->n; i++)
        free(r->list[i].label);
    free(r->list);    //~ memory-leak "r->list->value"
    free(r);
}
struct item { char *name, *text; struct item *prev, *next; };
struct items { struct item *head, *tail; int count; };
int items_add(struct items *s, const char *n, const char *t) {
    struct item *it = calloc(1, sizeof *it);
    if (!it) return -1;
    it->name = strdup(n);
    it->text = strdup(t);
    it->prev = s->tail;
    if (s->tail) s->tail->next = it; else s->head = it;
    s->tail = it;
    s->count++;
    return 0;
}
static void item_free_ok(struct item *it) {
    free(it->name);
    free(it->text);
    free(it);
}
static void item_free_bad(struct item *it) {
    free(it->name);
    free(it);    //~ memory-leak
}
void items_end_ok(struct items *s) {
    struct item *it = s->head;
    for (int i = 0; i < s->count; i++) {
        struct item *next = it->next;
        item_free_ok(it);
        it = next;
    }
    s->head = s->tail = NULL;
}
void items_clear(struct items *s) {
    struct item *it = s->head;
    while (it) {
        struct item *next = it->next;
        item_free_bad(it);
        it = next;
    }
    s->head = s->tail = NULL;
}
void items_pop_bad(struct items *s) {
    struct item *it = s->head;
    if (!it) return;
    s->head = it->next;
    if (s->head) s->head->prev = NULL; else s->tail = NULL;
    free(it->name);
    free(it);    //~ memory-leak
}
struct conn { struct conn *next; int fd; };
struct server { struct conn *conns; };
int conn_add(struct server *s, int fd) {
    struct conn *c = malloc(sizeof *c);
    if (!c) return -1;
    c->fd = fd;
    c->next = s->conns;
    s->conns = c;
    return 0;
}
void server_end_ok(struct server *s) {
    while (s->conns) {
        struct conn *c = s->conns;
        s->conns = c->next;
        free(c);
    }
}
void conn_drop_bad(struct server *s, int fd) {
    struct conn **p = &s->conns;
    while (*p && (*p)->fd != fd)
        p = &(*p)->next;
    if (*p)
        *p = (*p)->next;    //~ memory-leak
}
void conn_drop2_bad(struct server *s, int fd) {
    struct conn *prev = NULL, *c;
    for (c = s->conns; c; prev = c, c = c->next)
        if (c->fd == fd) {
            if (prev)
                prev->next = c->next;    //~ memory-leak
            else
                s->conns = c->next;
            return;
        }
}
void conn_drop2_ok(struct server *s, int fd) {
    struct conn *prev = NULL, *c;
    for (c = s->conns; c; prev = c, c = c->next)
        if (c->fd == fd) {
            if (prev)
                prev->next = c->next;
            else
                s->conns = c->next;
            free(c);
            return;
        }
}
void conn_pop_bad(struct server *s) {
    if (s->conns)
        s->conns = s->conns->next;    //~ memory-leak
}
