// Ring buffers, work lists, queues and stacks of blocks.
#include "stubs.h"
int more(void);

struct buffer { char *slots[4]; unsigned first, count; };

static int buffer_put(struct buffer *buffer, char *text) {
    if (buffer->count == 4)
        return 0;
    buffer->slots[(buffer->first + buffer->count) % 4] = text;
    buffer->count++;
    return 1;
}

static char *buffer_get(struct buffer *buffer) {
    if (!buffer->count)
        return NULL;
    char *text = buffer->slots[buffer->first];
    buffer->first = (buffer->first + 1) % 4;
    buffer->count--;
    return text;
}

int ring_ok(int n) {
    struct buffer buffer = { 0 };
    char *text = malloc(4), *got;
    if (text && !buffer_put(&buffer, text))
        free(text);
    while ((got = buffer_get(&buffer)))
        free(got);
    return n;
}

int ring_refuses_bad(struct buffer *buffer) {
    char *text = malloc(4);    //~ memory-leak
    if (!text)
        return 0;
    return buffer_put(buffer, text);
}

int ring_refuses_ok(struct buffer *buffer) {
    char *text = malloc(4);
    if (!text)
        return 0;
    if (!buffer_put(buffer, text)) {
        free(text);
        return 0;
    }
    return 1;
}

struct work { struct work *next; int depth; };

static struct work *work_new(struct work *next, int depth) {
    struct work *made = malloc(sizeof *made);
    if (!made)
        exit(1);
    made->next = next;
    made->depth = depth;
    return made;
}

// What is taken off the list adds to it.
int work_list_ok(int n) {
    struct work *list = work_new(NULL, n);
    while (list) {
        struct work *work = list;
        list = work->next;
        if (work->depth > 0 && more())
            list = work_new(list, work->depth - 1);
        free(work);
    }
    return 0;
}

int work_list_bad(int n) {
    struct work *list = work_new(NULL, n);    //~ memory-leak
    while (list) {
        struct work *work = list;
        list = work->next;
        if (work->depth > 5)
            continue;
        free(work);
    }
    return 0;
}

static struct work *pop(struct work **list) {
    struct work *work = *list;
    if (work)
        *list = work->next;
    return work;
}

int popped_ok(int n) {
    struct work *list = NULL, *work;
    for (int i = 0; i < n; i++)
        list = work_new(list, i);
    while ((work = pop(&list)) != NULL)
        free(work);
    return 0;
}

int popped_bad(int n) {
    struct work *list = work_new(NULL, n), *work;    //~ memory-leak
    while ((work = pop(&list)) != NULL) {
        if (work->depth > 3)
            return 1;
        free(work);
    }
    return 0;
}

struct queue { struct work *first, **end; };

static void queue_init(struct queue *queue) {
    queue->first = NULL;
    queue->end = &queue->first;
}

static void queue_put(struct queue *queue, int depth) {
    struct work *work = work_new(NULL, depth);
    *queue->end = work;
    queue->end = &work->next;
}

static struct work *queue_get(struct queue *queue) {
    struct work *work = queue->first;
    if (!work)
        return NULL;
    queue->first = work->next;
    if (!queue->first)
        queue->end = &queue->first;
    return work;
}

int queue_ok(int n) {
    struct queue queue;
    struct work *work;
    queue_init(&queue);
    queue_put(&queue, 1);
    queue_put(&queue, 2);
    while ((work = queue_get(&queue)))
        free(work);
    return n;
}

int queue_bad(int n) {
    struct queue queue;
    queue_init(&queue);
    queue_put(&queue, 1);    //~ memory-leak
    if (n > 2)
        return 1;
    free(queue_get(&queue));
    return 0;
}
