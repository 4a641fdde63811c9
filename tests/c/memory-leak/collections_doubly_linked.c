// Doubly linked lists: with head and tail, circular with a sentinel, and with links inside of larger structures.
#include "stubs.h"

struct part { struct part *prev, *next; char *name; };
struct parts { struct part *first, *last; };

static void parts_add(struct parts *parts, const char *name) {
    struct part *part = calloc(1, sizeof *part);
    if (!part)
        exit(1);
    part->name = strdup(name);
    part->prev = parts->last;
    if (parts->last)
        parts->last->next = part;
    else
        parts->first = part;
    parts->last = part;
}

static void parts_end(struct parts *parts) {
    struct part *part = parts->first;
    while (part) {
        struct part *next = part->next;
        free(part->name);
        free(part);
        part = next;
    }
    parts->first = parts->last = NULL;
}

static void parts_end_backwards(struct parts *parts) {
    while (parts->last) {
        struct part *part = parts->last;
        parts->last = part->prev;
        free(part->name);
        free(part);
    }
    parts->first = NULL;
}

int forward_ok(int n) {
    struct parts parts = { 0 };
    parts_add(&parts, "a");
    parts_add(&parts, "b");
    parts_end(&parts);
    return n;
}

int backward_ok(int n) {
    struct parts parts = { 0 };
    parts_add(&parts, "a");
    parts_add(&parts, "b");
    parts_end_backwards(&parts);
    return n;
}

int forward_bad(int n) {
    struct parts parts = { 0 };
    parts_add(&parts, "a");    //~ memory-leak
    if (n > 2)
        return 1;
    parts_end(&parts);
    return 0;
}

static void parts_remove(struct parts *parts, struct part *part) {
    if (part->prev)
        part->prev->next = part->next;
    else
        parts->first = part->next;
    if (part->next)
        part->next->prev = part->prev;
    else
        parts->last = part->prev;
    free(part->name);
    free(part);
}

int removed_one_by_one_ok(int n) {
    struct parts parts = { 0 };
    parts_add(&parts, "a");
    parts_add(&parts, "b");
    while (parts.first)
        parts_remove(&parts, parts.first);
    return n;
}

struct ring { struct ring *prev, *next; int value; };

static void ring_init(struct ring *ring) {
    ring->prev = ring->next = ring;
}

static void ring_add(struct ring *ring, int value) {
    struct ring *made = malloc(sizeof *made);
    if (!made)
        exit(1);
    made->value = value;
    made->prev = ring->prev;
    made->next = ring;
    ring->prev->next = made;
    ring->prev = made;
}

static void ring_end(struct ring *ring) {
    struct ring *at = ring->next;
    while (at != ring) {
        struct ring *next = at->next;
        free(at);
        at = next;
    }
    ring_init(ring);
}

int sentinel_ok(int n) {
    struct ring ring;
    ring_init(&ring);
    for (int i = 0; i < n; i++)
        ring_add(&ring, i);
    ring_end(&ring);
    return 0;
}

int sentinel_two_ok(int n) {
    struct ring ring;
    ring_init(&ring);
    ring_add(&ring, 1);
    ring_add(&ring, 2);
    ring_end(&ring);
    return n;
}

int sentinel_bad(int n) {
    struct ring ring;
    ring_init(&ring);
    ring_add(&ring, 1);    //~ memory-leak
    if (n > 2)
        return 1;
    ring_end(&ring);
    return 0;
}

struct link { struct link *prev, *next; };
struct job { int number; struct link link; char *title; };
#define job_of(at) ((struct job *)((char *)(at) - offsetof(struct job, link)))

static void link_add(struct link *list, struct link *link) {
    link->next = list->next;
    link->prev = list;
    list->next->prev = link;
    list->next = link;
}

static void link_take(struct link *link) {
    link->prev->next = link->next;
    link->next->prev = link->prev;
}

static struct job *job_new(struct link *list) {
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        exit(1);
    job->title = strdup("job");
    link_add(list, &job->link);
    return job;
}

static void jobs_end(struct link *list) {
    while (list->next != list) {
        struct job *job = job_of(list->next);
        link_take(&job->link);
        free(job->title);
        free(job);
    }
}

int intrusive_ok(int n) {
    struct link list = { &list, &list };
    job_new(&list);
    job_new(&list);
    jobs_end(&list);
    return n;
}

int intrusive_bad(int n) {
    struct link list = { &list, &list };
    job_new(&list);    //~ memory-leak
    if (n > 2)
        return 1;
    jobs_end(&list);
    return 0;
}

int intrusive_by_hand_ok(int n) {
    struct link list = { &list, &list };
    struct job *job = job_new(&list);
    link_take(&job->link);
    free(job->title);
    free(job);
    return n;
}
