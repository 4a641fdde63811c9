// Error reports behind pointers. What the program ever puts into a member or a variable decides whether a call through it comes back: if
// everything that can be there ends the process or jumps away, nothing behind the call happens.
#include "stubs.h"

struct parser {
    const char *at;
    int (*advance)(struct parser *);
    struct {
        int count;
        void (*fatal)(struct parser *, const char *);
        void (*warn)(struct parser *, const char *);
    } report;
    jmp_buf *back;
};

static void print_and_leave(struct parser *p, const char *text) {
    fprintf(stderr, "%s at %s\n", text, p->at);
    exit(2);
}

static void go_back(struct parser *p, const char *text) {
    p->report.count++;
    longjmp(*p->back, 1);
}

static void print(struct parser *p, const char *text) { fprintf(stderr, "%s at %s\n", text, p->at); }

static void print_or_leave(struct parser *p, const char *text) {
    if (p->report.count++ > 10)
        exit(2);
    print(p, text);
}

void parser_init(struct parser *p, const char *text, jmp_buf *back) {
    p->at = text;
    p->back = back;
    p->report.fatal = back ? go_back : print_and_leave;
    p->report.warn = print_or_leave;
}

static const char *same_or_ended(struct parser *p, const char *word) {
    if (!word)
        p->report.fatal(p, "no memory");
    return word;
}

static void take_ok(struct parser *p, char **words, size_t n) {
    char *copy = strdup(p->at);
    if (!same_or_ended(p, copy))
        return;
    words[n] = copy;
}

// The copy is lost by the jump, not by what follows it.
void jumps_with_copy_bad(struct parser *p) {
    char *copy = strdup(p->at); //~ memory-leak "copy"
    if (!copy)
        return;
    if (*copy == ';')
        p->report.fatal(p, "empty");
    free(copy);
}

// Behind the call nothing happens.
int behind_the_end_ok(struct parser *p, char **word) {
    char *copy = strdup(p->at);
    if (!copy) {
        p->report.fatal(p, "no memory");
        *word = NULL;
        return 0;
    }
    *word = copy;
    return 1;
}

// `warn` may come back.
int behind_a_warning_bad(struct parser *p, char **word) {
    char *copy = strdup(p->at); //~ memory-leak "copy"
    if (copy && *copy == ';') {
        p->report.warn(p, "empty");
        return 0;
    }
    *word = copy;
    return 1;
}

// A table of handlers that all end the process, chosen by number.
struct handler {
    int code;
    void (*run)(int);
};
static void stop(int code) { exit(code); }
static void stop_at_once(int code) {
    for (;;)
        abort();
}
static const struct handler handlers[] = {{1, stop}, {2, stop_at_once}};

static void *get(size_t bytes, unsigned which) {
    void *p = malloc(bytes);
    if (!p)
        handlers[which & 1].run(3);
    return p;
}

struct link {
    struct link *next;
    char *text;
};
static struct link *chain;

static int push(struct link *link, char *text) {
    if (!link)
        return -1;
    link->text = text;
    link->next = chain;
    chain = link;
    return 0;
}

void push_checked_ok(const char *text) {
    char *copy = strdup(text);
    push(get(sizeof *chain, 1), copy);
}

void push_unchecked_bad(const char *text) {
    char *copy = strdup(text); //~ memory-leak "copy"
    push(malloc(sizeof *chain), copy);
}

// Somebody else fills this member as well, so what it holds is not known.
struct hook {
    void (*failed)(int);
};
void fill_hook(struct hook *hook);
static int run_hook(struct hook *hook) {
    hook->failed(1);
    return 0;
}
static void set_hook(struct hook *hook) {
    fill_hook(hook);
    if (!hook->failed)
        hook->failed = stop;
}
int behind_a_hook_bad(const char *text) {
    struct hook hook = {0};
    char *copy = strdup(text); //~ memory-leak "copy"
    set_hook(&hook);
    return run_hook(&hook);
}

// A setter of which all callers are known to pass functions that end.
struct guard {
    void (*broken)(const char *);
};
static void die(const char *text) {
    fprintf(stderr, "%s\n", text);
    abort();
}
static void guard_set(struct guard *g, void (*broken)(const char *)) { g->broken = broken; }
void guard_init(struct guard *g) { guard_set(g, die); }
static int expect(struct guard *g, int truth) {
    if (!truth)
        g->broken("expected");
    return truth;
}
int expected_ok(struct guard *g, const char *text, char **out) {
    char *copy = strdup(text);
    if (!expect(g, copy && *copy))
        return -1;
    *out = copy;
    return 0;
}
int unexpected_bad(struct guard *g, const char *text, char **out) {
    char *copy = strdup(text); //~ memory-leak "copy"
    if (!copy || !*copy)
        return -1;
    *out = copy;
    return 0;
}
