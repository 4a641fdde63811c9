// Loops that run more often than anyone evaluates them: what happens after them is still seen.
#include "stubs.h"

struct node {
    struct node *next;
};

static struct node *make_chain(int length) {
    struct node *head = malloc(sizeof *head), *last = head;
    if (!head)
        exit(1);
    head->next = NULL;
    for (int i = 0; i < length; i++) {
        last->next = malloc(sizeof *last);
        if (!last->next)
            exit(1);
        last = last->next;
        last->next = NULL;
    }
    return head;
}

static void free_chain(struct node *node) {
    while (node) {
        struct node *next = node->next;
        free(node);
        node = next;
    }
}

void head_only_bad(void) {
    struct node *chain = make_chain(10);    //~ memory-leak "make_chain"
    free(chain);
}

void whole_chain_ok(void) {
    struct node *chain = make_chain(10);
    free_chain(chain);
}

void skips_release_bad(const int *skip) {
    for (int i = 0; i < 100; i++) {
        char *line = malloc(16);    //~ memory-leak "line"
        if (skip[i])
            continue;
        free(line);
    }
}

void replaced_each_time_ok(void) {
    char *line = NULL;
    for (int i = 0; i < 100; i++) {
        free(line);
        line = malloc(16);
    }
    free(line);
}

void all_elements_ok(void) {
    char *lines[10];
    for (int i = 0; i < 10; i++)
        lines[i] = malloc(16);
    for (int i = 0; i < 10; i++)
        free(lines[i]);
}

static void free_lines(char **lines) {
    for (int i = 0; i < 10; i++)
        free(lines[i]);
}

void all_elements_elsewhere_ok(void) {
    char *lines[10];
    for (int i = 0; i < 10; i++)
        lines[i] = malloc(16);
    free_lines(lines);
}

// The flag was set before the loop, and the loop does not touch it.
void flag_in_memory_ok(const int *values) {
    struct {
        int owned, sum;
        char *text;
    } box = {1, 0, malloc(16)};
    for (int i = 0; i < 50; i++)
        box.sum += values[i];
    if (box.owned)
        free(box.text);
}

// The counter went up, so it is not 0.
void counted_ok(const int *values) {
    char *text = malloc(16);
    int i;
    for (i = 0; i < 50; i++)
        if (values[i] < 0)
            break;
    if (i >= 0)
        free(text);
}

void counted_bad(const int *values) {
    char *text = malloc(16);    //~ memory-leak "text"
    int i;
    for (i = 0; i < 50; i++)
        values++;
    if (i < 50)
        free(text);
}
