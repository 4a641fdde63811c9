// leaks: 4
// exit: 42
// The process ends in a nested call, with handlers registered and blocks still held.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *journal;
static int events;

static void note(const char *what) {
    size_t old = journal ? strlen(journal) : 0;
    char *bigger = realloc(journal, old + strlen(what) + 2);
    if (!bigger)
        abort();
    journal = bigger;
    strcpy(journal + old, what);
    strcat(journal, ";");
    events++;
}

static void print_journal(void) { printf("journal: %s (%d)\n", journal ? journal : "", events); }
static void say_goodbye(void) { puts("goodbye"); }

struct task {
    const char *name;
    int cost;
    struct task *next;
};

static struct task *schedule(struct task *list, const char *name, int cost) {
    struct task *task = malloc(sizeof *task);
    if (!task)
        exit(1);
    task->name = name;
    task->cost = cost;
    task->next = list;
    return task;
}

static int run(struct task *list, int budget) {
    if (!list)
        return budget;
    note(list->name);
    budget -= list->cost;
    if (budget < 0) {
        note("broke");
        exit(42);
    }
    printf("%s leaves %d\n", list->name, budget);
    return run(list->next, budget);
}

int main(void) {
    if (atexit(print_journal) || atexit(say_goodbye))
        return 1;
    struct task *small = schedule(schedule(NULL, "rest", 1), "walk", 2);
    printf("%d\n", run(small, 10));
    free(small->next);
    free(small);
    struct task *list = schedule(schedule(schedule(NULL, "sleep", 1), "build", 8), "plan", 3);
    run(list, 10);
    puts("never printed");
    return 0;
}
