// leaks: 6
// A singly linked list: built, sorted, reversed, filtered. The filter forgets the six
// nodes that it drops.
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *list, int value) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    node->value = value;
    node->next = list;
    return node;
}

static void show(const char *what, const struct node *list) {
    printf("%s:", what);
    for (; list; list = list->next)
        printf(" %d", list->value);
    putchar('\n');
}

static struct node *reverse(struct node *list) {
    struct node *done = NULL;
    while (list) {
        struct node *next = list->next;
        list->next = done;
        done = list;
        list = next;
    }
    return done;
}

static struct node *merge(struct node *a, struct node *b) {
    struct node *head = NULL;
    struct node **link = &head;
    while (a && b) {
        struct node **smaller = a->value <= b->value ? &a : &b;
        *link = *smaller;
        *smaller = (*smaller)->next;
        link = &(*link)->next;
    }
    *link = a ? a : b;
    return head;
}

static struct node *sort(struct node *list) {
    if (!list || !list->next)
        return list;
    struct node *slow = list;
    struct node *fast = list->next;
    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
    }
    struct node *second = slow->next;
    slow->next = NULL;
    return merge(sort(list), sort(second));
}

static struct node *drop_multiples(struct node *list, int of) {
    struct node **link = &list;
    while (*link) {
        if ((*link)->value % of == 0)
            *link = (*link)->next;
        else
            link = &(*link)->next;
    }
    return list;
}

static int release(struct node *list) {
    int count = 0;
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
        count++;
    }
    return count;
}

int main(void) {
    struct node *list = NULL;
    unsigned int seed = 7;
    for (int i = 0; i < 12; i++) {
        seed = seed * 1103515245u + 12345u;
        list = push(list, (int)(seed >> 16 & 63));
    }
    show("built", list);
    list = reverse(list);
    show("reversed", list);
    list = sort(list);
    show("sorted", list);
    list = drop_multiples(list, 2);
    show("filtered", list);
    printf("freed %d\n", release(list));
    return 0;
}
