// Objects hang in lists by a link inside them.
#include "stubs.h"

struct link {
    struct link *prev, *next;
};

struct job {
    int priority;
    struct link link;
    char text[40];
};

#define job_of(l) ((struct job *)((char *)(l)-offsetof(struct job, link)))

static struct link queue = { &queue, &queue };

static inline void link_between(struct link *fresh, struct link *before, struct link *after) {
    after->prev = fresh;
    fresh->next = after;
    fresh->prev = before;
    before->next = fresh;
}

static inline void link_last(struct link *head, struct link *fresh) { link_between(fresh, head->prev, head); }

static inline void unlink_it(struct link *link) {
    link->next->prev = link->prev;
    link->prev->next = link->next;
}

int enqueue_ok(int priority, const char *text) {
    struct job *job = malloc(sizeof *job);
    if (!job)
        return -1;
    job->priority = priority;
    strncpy(job->text, text, sizeof job->text);
    link_last(&queue, &job->link);
    return 0;
}

int enqueue_in_parameter_ok(struct link *head, int priority) {
    struct job *job = malloc(sizeof *job);
    if (!job)
        return -1;
    job->priority = priority;
    link_between(&job->link, head, head->next);
    return 0;
}

void dequeue_ok(struct link *head) {
    while (head->next != head) {
        struct job *job = job_of(head->next);
        unlink_it(&job->link);
        free(job);
    }
}

int enqueue_and_take_back_ok(struct link *head, int priority) {
    struct job *job = malloc(sizeof *job);
    if (!job)
        return -1;
    job->priority = priority;
    link_last(head, &job->link);
    unlink_it(&job->link);
    free(job);
    return 0;
}

int never_linked_bad(int priority, const char *text) {
    struct job *job = malloc(sizeof *job);    //~ memory-leak "job"
    if (!job)
        return -1;
    job->priority = priority;
    strncpy(job->text, text, sizeof job->text);
    job->link.next = job->link.prev = &job->link;
    return 0;
}

int linked_only_when_urgent_bad(struct link *head, int priority) {
    struct job *job = calloc(1, sizeof *job);    //~ memory-leak "job"
    if (!job)
        return -1;
    job->priority = priority;
    if (priority > 10)
        link_last(head, &job->link);
    return priority;
}
