// Whole collections that are copied, swapped, handed over and borrowed.
#include "stubs.h"

struct node { struct node *next; char *text; };
struct list { struct node *head; int count; };

static void list_push(struct list *list, char *text) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    node->text = text;
    node->next = list->head;
    list->head = node;
    list->count++;
}

// Releases the nodes, and not what they hold.
static void list_drop(struct list *list) {
    struct node *node = list->head;
    while (node) {
        struct node *next = node->next;
        free(node);
        node = next;
    }
    list->head = NULL;
}

// Releases the nodes and what they hold.
static void list_end(struct list *list) {
    struct node *node = list->head;
    while (node) {
        struct node *next = node->next;
        free(node->text);
        free(node);
        node = next;
    }
    list->head = NULL;
}

static char *text(void) {
    char *made = malloc(8);
    if (!made)
        exit(1);
    return made;
}

int borrowed_elements_ok(int n) {
    struct list list = { 0 };
    char *one = text(), *two = text();
    list_push(&list, one);
    list_push(&list, two);
    list_drop(&list);
    free(one);
    free(two);
    return n;
}

int owned_elements_ok(int n) {
    struct list list = { 0 };
    list_push(&list, text());
    list_push(&list, text());
    list_end(&list);
    return n;
}

int owned_elements_bad(int n) {
    struct list list = { 0 };
    list_push(&list, text());    //~ memory-leak
    list_drop(&list);
    return n;
}

int literals_ok(int n) {
    struct list list = { 0 };
    list_push(&list, "a");
    list_push(&list, "b");
    list_drop(&list);
    return n;
}

int copied_ok(int n) {
    struct list list = { 0 };
    list_push(&list, text());
    struct list copy = list;
    list_end(&copy);
    return n;
}

int copied_bad(int n) {
    struct list list = { 0 };
    list_push(&list, text());    //~ memory-leak "list.head"
    //~^ memory-leak "text"
    struct list copy = list;
    if (n > 2)
        return copy.count;
    list_end(&copy);
    return n;
}

static void list_swap(struct list *a, struct list *b) {
    struct list keep = *a;
    *a = *b;
    *b = keep;
}

int swapped_ok(int n) {
    struct list a = { 0 }, b = { 0 };
    list_push(&a, text());
    list_swap(&a, &b);
    list_end(&b);
    return n;
}

int swapped_bad(int n) {
    struct list a = { 0 }, b = { 0 };
    list_push(&a, text());    //~ memory-leak "list_push"
    //~^ memory-leak "text"
    list_swap(&a, &b);
    list_end(&a);
    return n;
}

static void list_move(struct list *to, struct list *from) {
    while (from->head) {
        struct node *node = from->head;
        from->head = node->next;
        node->next = to->head;
        to->head = node;
    }
}

int moved_ok(int n) {
    struct list a = { 0 }, b = { 0 };
    list_push(&a, text());
    list_push(&a, text());
    list_move(&b, &a);
    list_end(&b);
    return n;
}

int moved_bad(int n) {
    struct list a = { 0 }, b = { 0 };
    list_push(&a, text());    //~ memory-leak "list_push"
    //~^ memory-leak "text"
    list_move(&b, &a);
    list_end(&a);
    return n;
}

struct holder { struct list list; struct list *shared; };

struct holder *given_on_ok(int n) {
    struct holder *holder = calloc(1, sizeof *holder);
    if (!holder)
        return NULL;
    struct list list = { 0 };
    for (int i = 0; i < n; i++)
        list_push(&list, text());
    holder->list = list;
    return holder;
}

int given_on_and_ended_ok(int n) {
    struct holder *holder = given_on_ok(n);
    if (!holder)
        return 1;
    list_end(&holder->list);
    free(holder);
    return 0;
}

int given_on_and_lost_bad(int n) {
    struct holder *holder = calloc(1, sizeof *holder);
    if (!holder)
        return 1;
    list_push(&holder->list, text());    //~ memory-leak "list_push"
    //~^ memory-leak "text"
    free(holder);
    return n;
}

// Taken off at the head, and put back.
static char *list_pop(struct list *list) {
    struct node *node = list->head;
    if (!node)
        return NULL;
    char *text = node->text;
    list->head = node->next;
    free(node);
    list->count--;
    return text;
}

int popped_ok(int n) {
    struct list list = { 0 };
    char *got;
    list_push(&list, text());
    list_push(&list, text());
    while ((got = list_pop(&list)))
        free(got);
    return n;
}

int popped_bad(int n) {
    struct list list = { 0 };
    list_push(&list, text());    //~ memory-leak
    while (list_pop(&list))
        n++;
    return n;
}
