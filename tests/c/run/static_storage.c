// leaks: 2
// Objects with static storage: initialisers with addresses, static locals, enums,
// tables that point at one another, tentative definitions. Two blocks stay in globals.
#include <stdio.h>
#include <stdlib.h>

enum colour { RED, GREEN = 5, BLUE, DARK = -1, LAST = BLUE + 10 };

int tentative;
int tentative = 12;

static int numbers[] = { 1, 2, [5] = 6, 7 };
static int *middle = &numbers[3];
static int *const fixed = numbers + 5;
static const char *message = &"static text"[7];
static char letters[] = "letters";
static char exact[3] = "abc";

struct node {
    const char *name;
    struct node *next;
    int weights[3];
};

static struct node third = { "third", NULL, { 3, 33 } };
static struct node second = { "second", &third, { [2] = 2 } };
static struct node first = { .next = &second, .name = "first", .weights = { 1 } };
static struct node *const entry = &first;

static double ratio = 1.0 / 4;
static unsigned char big = 255 + 2 - 1 - 1;
static long difference = (long)sizeof(struct node) - 8;
static int (*function)(const char *) = puts;
static char *kept;
static int *buffer;

static int counter(void) {
    static int calls;
    static int step = 3;
    calls += step;
    return calls;
}

static const char *next_name(void) {
    static const char *const names[] = { "alpha", "beta", "gamma" };
    static unsigned int at;
    return names[at++ % 3];
}

static int recursive_static(int n) {
    static int depth = 0;
    depth++;
    return n ? recursive_static(n - 1) : depth;
}

static int *ensure_buffer(void) {
    if (!buffer) {
        buffer = calloc(8, sizeof *buffer);
        if (!buffer)
            exit(1);
    }
    return buffer;
}

int main(void) {
    printf("%d %d %d %d %d\n", RED, GREEN, BLUE, DARK, LAST);
    printf("%d\n", tentative);
    printf("%zu %d %d %d\n", sizeof numbers / sizeof numbers[0], *middle, *fixed, middle[2]);
    *middle = 40;
    printf("%d %s\n", numbers[3], message);
    letters[0] = 'L';
    printf("%s %zu %c%c%c\n", letters, sizeof letters, exact[0], exact[1], exact[2]);
    for (const struct node *n = entry; n; n = n->next)
        printf("%s %d %d %d\n", n->name, n->weights[0], n->weights[1], n->weights[2]);
    second.next = NULL;
    third.weights[0]++;
    printf("%d %d\n", entry->next->next == NULL, third.weights[0]);
    printf("%.2f %d %ld\n", ratio, big, difference);
    function("through a pointer");
    printf("%d ", counter());
    printf("%d ", counter());
    printf("%d\n", counter());
    for (int i = 0; i < 4; i++)
        printf("%s ", next_name());
    putchar('\n');
    printf("%d ", recursive_static(4));
    printf("%d\n", recursive_static(0));
    ensure_buffer()[3] = 9;
    ensure_buffer()[4] = 1;
    printf("%d\n", ensure_buffer()[3] + ensure_buffer()[4]);
    kept = malloc(4);
    if (kept)
        kept[0] = 'k';
    printf("%d\n", kept != NULL);
    enum colour c = BLUE;
    c++;
    printf("%d %d\n", c, (enum colour)5 == GREEN);
    return 0;
}
