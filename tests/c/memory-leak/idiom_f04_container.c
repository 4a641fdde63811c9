// The list holds the address of a member; the owner is found by subtracting its offset.
#include "stubs.h"

struct hook { struct hook *next; };
struct task { char name[12]; struct hook hook; };
#define task_of(h) ((struct task *)((char *)(h) - offsetof(struct task, hook)))

static struct hook *ready;

int scheduled_ok(const char *name) {
    struct task *task = calloc(1, sizeof *task);
    if (!task)
        return -1;
    strncpy(task->name, name, sizeof task->name - 1);
    task->hook.next = ready, ready = &task->hook;
    return 0;
}

void taken_off_ok(void) {
    for (struct hook *hook; (hook = ready); ) {
        ready = hook->next;
        free(task_of(hook));
    }
}

int hook_of_local_list_bad(const char *name) {
    struct hook *own = NULL;
    struct task *task = calloc(1, sizeof *task);    //~ memory-leak
    if (!task)
        return -1;
    strncpy(task->name, name, sizeof task->name - 1);
    task->hook.next = own, own = &task->hook;
    return own != NULL;
}
