// What is taken out of a container of the program by its only reference, and dropped.
#include "stubs.h"

struct task {
    int number;
    struct task *next;
};

struct line {
    int length;
    struct task *waiting;
};

int run(int number);

int line_add(struct line *line, int number) {
    struct task *task = malloc(sizeof *task);
    if (!task)
        return -1;
    task->number = number;
    task->next = line->waiting;
    line->waiting = task;
    line->length++;
    return 0;
}

void line_clear_ok(struct line *line) {
    while (line->waiting) {
        struct task *task = line->waiting;
        line->waiting = task->next;
        free(task);
    }
}

// Taken out by hand.
int line_skip_bad(struct line *line) {
    struct task *task = line->waiting;    //~ memory-leak "task"
    if (task == NULL)
        return 0;
    line->waiting = task->next;
    line->length--;
    if (task->number < 0)
        return -1;
    free(task);
    return 1;
}

int line_skip_ok(struct line *line) {
    struct task *task = line->waiting;
    if (task == NULL)
        return 0;
    int number = task->number;
    line->waiting = task->next;
    line->length--;
    free(task);
    return number;
}

// Taken out and put back.
int line_retry_ok(struct line *line) {
    struct task *task = line->waiting;
    if (!task)
        return 0;
    line->waiting = task->next;
    if (run(task->number) < 0) {
        task->next = line->waiting;
        line->waiting = task;
        return -1;
    }
    free(task);
    return 1;
}

// Taken out and put elsewhere.
int line_move_ok(struct line *from, struct line *to) {
    struct task *task = from->waiting;
    if (!task)
        return 0;
    from->waiting = task->next;
    task->next = to->waiting;
    to->waiting = task;
    return 1;
}

// A stack in a variable, and a function that takes the top of it.
struct frame {
    struct frame *below;
    int depth;
};

static struct frame *frames;

int frame_push(int depth) {
    struct frame *frame = malloc(sizeof *frame);
    if (!frame)
        return -1;
    frame->depth = depth;
    frame->below = frames;
    frames = frame;
    return 0;
}

static struct frame *frame_top(void) {
    struct frame *frame = frames;
    if (frame)
        frames = frame->below;
    return frame;
}

int frame_pop_ok(void) {
    struct frame *frame = frame_top();
    if (!frame)
        return -1;
    int depth = frame->depth;
    free(frame);
    return depth;
}

int frame_pop_bad(int least) {
    struct frame *frame = frame_top();    //~ memory-leak "`frame`"
    if (!frame)
        return -1;
    if (frame->depth < least)
        return -2;
    free(frame);
    return 0;
}

// A slot that holds one thing.
struct desk {
    char *paper;
};

int desk_write(struct desk *desk, const char *text) {
    if (desk->paper)
        return -1;
    desk->paper = strdup(text);
    return 0;
}

void desk_clear_ok(struct desk *desk) {
    free(desk->paper);
    desk->paper = NULL;
}

int desk_sweep_bad(struct desk *desk) {
    if (!desk->paper)
        return 0;
    desk->paper = NULL;    //~ memory-leak "desk->paper"
    return 1;
}

// A cursor over what another member holds.
struct walk {
    struct task *first;
    struct task *at;
};

int walk_add(struct walk *walk, int number) {
    struct task *task = malloc(sizeof *task);
    if (!task)
        return -1;
    task->number = number;
    task->next = walk->first;
    walk->first = walk->at = task;
    return 0;
}

void walk_on_ok(struct walk *walk) {
    if (walk->at)
        walk->at = walk->at->next;
}

void walk_clear_ok(struct walk *walk) {
    while (walk->first) {
        walk->at = walk->first;
        walk->first = walk->first->next;
        free(walk->at);
    }
    walk->at = NULL;
}
