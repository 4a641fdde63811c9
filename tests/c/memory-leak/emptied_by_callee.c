#include "stubs.h"

/* A function empties a structure. If it has called what nobody knows, what was in there may have been released; if not,
 * it has not. */

struct part {
    char *data;
    void (*drop)(struct part *owner);
    struct part *owner;
    int kind;
};

void unseen_drop(struct part *owner);

static int part_set(struct part *p, const char *s)
{
    p->data = strdup(s);
    if (p->data == NULL)
        return -1;
    p->drop = unseen_drop;
    p->owner = p;
    return 0;
}

static void part_clean(struct part *p)
{
    if (p->drop)
        p->drop(p->owner);
    p->data = NULL;
    p->drop = NULL;
    p->owner = NULL;
}

static void part_forget(struct part *p)
{
    p->data = NULL;
    p->drop = NULL;
    p->owner = NULL;
}

int emptied_after_unknown_call_ok(struct part *p, const char *s)
{
    if (part_set(p, s) < 0)
        return -1;
    part_clean(p);
    return 0;
}

int emptied_without_a_call_bad(struct part *p, const char *s)
{
    if (part_set(p, s) < 0) //~ memory-leak
        return -1;
    part_forget(p);
    return 0;
}
