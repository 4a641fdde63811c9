// A fatal error jumps to whoever waits for it, and else ends the process. Where it is noted that somebody waits makes no difference: in a variable,
// in a member, in a bit of one. The switch is off most of the time.
#include "stubs.h"

#define CAN_JUMP 0x10u
struct run {
    unsigned flags;
    int waiting;
    jmp_buf top;
};

static void fatal_by_bit(struct run *run, int status) {
    if (run->flags & CAN_JUMP) {
        run->flags &= ~CAN_JUMP;
        longjmp(run->top, status);
    }
    exit(status);
}

static void fatal_by_member(struct run *run, int status) {
    if (run->waiting)
        longjmp(run->top, status);
    exit(status);
}

// Nobody has to wait for this one.
static void back(struct run *run, int status) { longjmp(run->top, status); }

int read_by_bit_ok(struct run *run, const char *name) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    if (*copy == '/')
        fatal_by_bit(run, 1);
    free(copy);
    return 0;
}

int read_by_member_ok(struct run *run, const char *name) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    if (*copy == '/')
        fatal_by_member(run, 1);
    free(copy);
    return 0;
}

int read_and_back_bad(struct run *run, const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (*copy == '/')
        back(run, 1);
    free(copy);
    return 0;
}

// The flag is the caller's own, and it passes it on.
static void leave(struct run *run, int jump) {
    if (jump)
        longjmp(run->top, 1);
    exit(1);
}
int leaves_by_flag_bad(struct run *run, const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (*copy == '/')
        leave(run, 1);
    free(copy);
    return 0;
}

// How an allocator fails is decided by the switch, not whether it comes back.
static int recovering;
static jmp_buf recover;
static void *allocate(size_t bytes) {
    void *p = malloc(bytes);
    if (p)
        return p;
    if (recovering)
        longjmp(recover, 1);
    exit(1);
}
static void *allocate_quietly(size_t bytes) {
    void *p;
    if (recovering) {
        p = malloc(bytes);
        if (!p)
            longjmp(recover, 1);
    } else {
        p = malloc(bytes);
        if (!p)
            exit(1);
    }
    return p;
}
struct pair {
    char *one;
    char *other;
};
struct pair *pair_ok(void) {
    struct pair *pair = allocate(sizeof *pair);
    pair->one = allocate(16);
    pair->other = allocate_quietly(16);
    return pair;
}
// This one comes back only while the switch is off: it is a state that the program is in, and no failure.
static int stop_wanted;
static void check_stop(void) {
    if (stop_wanted)
        longjmp(recover, 1);
}
int work_bad(const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (!copy)
        return -1;
    check_stop();
    free(copy);
    return 0;
}
void stop(void) { stop_wanted = 1; }
void set_recovering(int on) { recovering = on; }

// Over several calls, behind more conditions than a caller can tell: what reports the problem is the same.
struct code {
    int kind, flags, least, most, seen;
};
static int problem(struct run *run, struct code *code, int answer) {
    if (code->kind == 1 && answer < code->least)
        return 0;
    if (code->kind != 4 && answer > code->most)
        code->seen++;
    if (code->flags & 1 || (code->seen > code->most && answer != code->kind))
        fatal_by_bit(run, code->kind);
    if (code->flags & 2 && answer == code->least)
        return 2;
    return 1;
}
static int asked(struct run *run, struct code *code, int answer) {
    int first = problem(run, code, answer);
    return first == 2 ? problem(run, code + 1, answer) : first;
}
int checked_ok(struct run *run, struct code *code, const char *name) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    int result = asked(run, code, *copy);
    free(copy);
    return result;
}

// The same, and one of the ways to jump waits for nobody.
static int other_problem(struct run *run, struct code *code, int answer) {
    int result = asked(run, code, answer);
    if (result == 2 && code->flags & 4)
        back(run, code->kind);
    return result;
}
int checked_bad(struct run *run, struct code *code, const char *name) {
    char *copy = strdup(name); //~ memory-leak "copy"
    if (!copy)
        return -1;
    int result = other_problem(run, code, *copy);
    free(copy);
    return result;
}
