#include "stubs.h"

/* Losses that need something to be so of which the function knows only that it was not followed. */

struct job {
    int owned;
    int level;
    char name[16];
};

struct number {
    int sign;
    unsigned words[4];
};

struct text {
    size_t length;
    char *data;
};

struct bag {
    int kind;
    struct text *value;
};

void unseen(struct job *job);
void unseen_answer(int *answer);
struct bag *unseen_bag(void);

int flag_given_away_ok(void)
{
    struct job job;
    job.owned = 1;
    job.level = 2;
    char *p = malloc(8);
    if (p == NULL)
        return -1;
    unseen(&job);
    if (job.owned)
        free(p);
    return job.level;
}

int answer_asked_for_bad(void)
{
    int answer = 0;
    char *p = malloc(8); //~ memory-leak
    if (p == NULL)
        return -1;
    unseen_answer(&answer);
    if (answer)
        free(p);
    return 0;
}

int computed_in_long_loop_ok(void)
{
    char *p = malloc(8);
    if (p == NULL)
        return -1;
    unsigned x = 1;
    for (int i = 0; i < 10; i++)
        x = x * 75 % 101;
    if (x == 6)
        free(p);
    return 0;
}

int lost_after_long_loop_bad(void)
{
    char *p = malloc(8); //~ memory-leak
    if (p == NULL)
        return -1;
    unsigned x = 1;
    for (int i = 0; i < 10; i++)
        x = x * 3 + 1;
    return (int)x;
}

int lost_in_long_loop_bad(int fd)
{
    char *p = malloc(8); //~ memory-leak
    if (p == NULL)
        return -1;
    unsigned x = 1;
    for (int i = 0; i < 10; i++) {
        x = x * 3 + 1;
        if (read(fd, p, 8) < 0)
            return -1;
    }
    free(p);
    return (int)x;
}

/* Only the callee asks whether there is a number to write to. */

static struct number *number_from(const char *s, struct number *to)
{
    struct number *made = NULL;
    if (to == NULL)
        to = made = malloc(sizeof *to);
    if (to == NULL)
        return NULL;
    if (*s == '\0') {
        free(made);
        return NULL;
    }
    to->sign = *s == '-';
    return to;
}

int into_given_number_ok(struct number *to, const char *s)
{
    return number_from(s, to) != NULL;
}

int into_perhaps_no_number_bad(struct number *to, const char *s)
{
    if (to == NULL)
        puts("no number");
    return number_from(s, to) != NULL; //~ memory-leak
}

/* A result that says whether there is something, by its sign. */

static int match(int (*equal)(const char *), const char *s, char **out)
{
    int same = equal(s);
    if (same > 0 && out != NULL) {
        *out = strdup(s);
        if (*out == NULL)
            return -1;
    }
    return same;
}

int first_match_ok(int (*equal)(const char *), char **list, int n, char **out)
{
    int same = 0;
    for (int i = 0; i < n; i++)
        if ((same = match(equal, list[i], out)) != 0)
            break;
    return same;
}

int last_match_bad(int (*equal)(const char *), char **list, int n, char **out)
{
    int same = 0;
    for (int i = 0; i < n; i++)
        same = match(equal, list[i], out); //~ memory-leak
    return same;
}

/* The address of a member is not null, whatever the structure is. */

static struct text *pack(const char *s, struct text **to)
{
    struct text *t;
    if (to == NULL || *to == NULL)
        t = calloc(1, sizeof *t);
    else
        t = *to;
    if (t == NULL)
        return NULL;
    t->length = strlen(s);
    if (to != NULL && *to == NULL)
        *to = t;
    return t;
}

int pack_into_bag_ok(const char *s)
{
    struct bag *bag = unseen_bag();
    if (bag == NULL)
        return 0;
    return pack(s, &bag->value) != NULL;
}

int pack_into_nothing_bad(const char *s)
{
    return pack(s, NULL) != NULL; //~ memory-leak
}
