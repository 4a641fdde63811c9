// leaks: 9
// A cache that loses blocks in several ways: overwritten slots, a dropped chain, an owner
// freed before its child, and a pointer that only a dead stack frame held.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    char *name;
    int uses;
    struct item *chain;
};

static struct item *slots[4];

static struct item *item_new(const char *name) {
    struct item *item = malloc(sizeof *item);
    char *copy = strdup(name);
    if (!item || !copy)
        exit(1);
    item->name = copy;
    item->uses = 0;
    item->chain = NULL;
    return item;
}

static void item_free(struct item *item) {
    while (item) {
        struct item *next = item->chain;
        free(item->name);
        free(item);
        item = next;
    }
}

static struct item *remember(int slot, const char *name) {
    struct item *item = item_new(name);
    slots[slot] = item;
    return item;
}

static void chain(int slot, const char *name) {
    struct item *item = item_new(name);
    item->chain = slots[slot];
    slots[slot] = item;
}

static int only_measured(const char *a, const char *b) {
    size_t first = strlen(a);
    size_t second = strlen(b);
    char *joined = malloc(first + second + 1);
    if (!joined)
        exit(1);
    memcpy(joined, a, first);
    memcpy(joined + first, b, second + 1);
    return (int)strlen(joined);
}

static void shallow_free(struct item *item) { free(item); }

int main(void) {
    // Two blocks are lost when the slot is overwritten.
    remember(0, "zero");
    remember(0, "another zero")->uses = 2;
    // Four blocks are lost with the tail of the chain.
    remember(1, "one");
    chain(1, "one more");
    chain(1, "and one more");
    slots[1]->chain = NULL;
    // One block is lost with its owner.
    remember(2, "two");
    shallow_free(slots[2]);
    slots[2] = NULL;
    // One block is lost with its stack frame.
    printf("%d\n", only_measured("stack", "frame"));
    // One block is held by a name that is overwritten.
    char *text = malloc(16);
    if (!text)
        return 1;
    strcpy(text, "lost");
    printf("%s %d\n", text, slots[0]->uses);
    text = strdup("kept");
    if (!text)
        return 1;
    printf("%s %s\n", text, slots[1]->name);
    free(text);
    for (int i = 0; i < 4; i++) {
        printf("%d:%s ", i, slots[i] ? slots[i]->name : "-");
        item_free(slots[i]);
    }
    putchar('\n');
    return 0;
}
