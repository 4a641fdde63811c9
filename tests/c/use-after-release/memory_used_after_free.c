// A block is used after it was released. The place is the use.
#include "stubs.h"

struct node {
    int value;
    char *name;
    struct node *next;
};

static void node_free(struct node *node) {
    free(node->name);
    free(node);
}

// Releases its argument only when it fails.
static int check(char *text) {
    if (text[0] == '#') {
        free(text);
        return -1;
    }
    return 0;
}

int read_after_free_bad(void) {
    int *number = malloc(sizeof *number);
    if (!number)
        return -1;
    *number = 5;
    free(number);
    return *number;    //~ use-after-release "number"
}

void written_after_free_bad(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return;
    free(copy);
    copy[0] = '\0';    //~ use-after-release "copy"
}

size_t passed_to_library_after_free_bad(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return 0;
    free(copy);
    return strlen(copy);    //~ use-after-release "copy"
}

void printed_after_free_bad(const char *text, int error) {
    char *copy = strdup(text);
    if (!copy)
        return;
    if (error)
        free(copy);
    printf("%s\n", copy);    //~ use-after-release "copy"
    if (!error)
        free(copy);
}

int field_after_destructor_bad(struct node *node) {
    node_free(node);
    return node->value;    //~ use-after-release "node"
}

void list_walked_while_freed_bad(struct node *head) {
    struct node *node = head;
    while (node) {
        free(node);
        node = node->next;    //~ use-after-release "node"
    }
}

int old_block_after_realloc_bad(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    char *bigger = realloc(data, 64);
    if (!bigger) {
        free(data);
        return -1;
    }
    data[0] = 'x';    //~ use-after-release "data"
    free(bigger);
    return 0;
}

int alias_after_free_bad(void) {
    char *block = malloc(8);
    if (!block)
        return -1;
    char *inside = block + 2;
    block[2] = 'x';
    free(block);
    return *inside;    //~ use-after-release
}

int released_by_failing_callee_bad(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (check(copy) < 0)
        return copy[0];    //~ use-after-release "copy"
    free(copy);
    return 0;
}

int used_before_free_ok(void) {
    int *number = malloc(sizeof *number);
    if (!number)
        return -1;
    *number = 5;
    int seen = *number;
    free(number);
    return seen;
}

void list_next_saved_ok(struct node *head) {
    struct node *node = head;
    while (node) {
        struct node *next = node->next;
        node_free(node);
        node = next;
    }
}

void other_branch_frees_ok(const char *text, int error) {
    char *copy = strdup(text);
    if (!copy)
        return;
    if (error) {
        free(copy);
        return;
    }
    puts(copy);
    free(copy);
}

int new_block_in_same_variable_ok(const char *text) {
    char *copy = strdup(text);
    free(copy);
    copy = strdup(text);
    if (!copy)
        return -1;
    int first = copy[0];
    free(copy);
    return first;
}

int block_after_failed_realloc_ok(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    data[0] = 'x';
    char *bigger = realloc(data, 64);
    if (!bigger) {
        int first = data[0];
        free(data);
        return first;
    }
    int first = bigger[0];
    free(bigger);
    return first;
}

int released_by_failing_callee_ok(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (check(copy) < 0)
        return -1;
    int first = copy[0];
    free(copy);
    return first;
}

int neighbour_stays_ok(struct node *node) {
    free(node->name);
    node->name = NULL;
    return node->value;
}
