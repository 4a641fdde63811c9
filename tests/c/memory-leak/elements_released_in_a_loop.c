// An array that is filled by hand, with more elements than loops are followed through, and released in a loop: each element
// that the loop passes is released, up or down, and no other.
#include "stubs.h"

struct box {
    char *name;
    int number;
};

static struct box *box_new(const char *name) {
    struct box *box = malloc(sizeof *box);
    if (!box)
        abort();
    box->name = strdup(name);
    box->number = 0;
    return box;
}

static void box_free(struct box *box) {
    if (box) {
        free(box->name);
        free(box);
    }
}

void upwards_ok(void) {
    char *words[10];
    words[0] = strdup("a");
    words[1] = strdup("b");
    words[2] = strdup("c");
    words[3] = strdup("d");
    words[4] = strdup("e");
    words[5] = strdup("f");
    words[6] = strdup("g");
    words[7] = strdup("h");
    words[8] = strdup("i");
    words[9] = strdup("j");
    for (int i = 0; i < 10; i++)
        free(words[i]);
}

void upwards_but_the_last_bad(void) {
    char *words[10];
    words[0] = strdup("a");
    words[1] = strdup("b");
    words[2] = strdup("c");
    words[3] = strdup("d");
    words[4] = strdup("e");
    words[5] = strdup("f");
    words[6] = strdup("g");
    words[7] = strdup("h");
    words[8] = strdup("i");
    words[9] = strdup("j");    //~ memory-leak "words[9]"
    for (int i = 0; i < 9; i++)
        free(words[i]);
}

void downwards_ok(int more) {
    struct box *boxes[8];
    int count = 0;
    boxes[count++] = box_new("a");
    boxes[count++] = box_new("b");
    boxes[count++] = box_new("c");
    boxes[count++] = box_new("d");
    boxes[count++] = box_new("e");
    boxes[count++] = box_new("f");
    if (more)
        boxes[count++] = box_new("g");
    while (count--)
        box_free(boxes[count]);
}

void downwards_but_the_first_bad(int more) {
    struct box *boxes[8];
    int count = 0;
    boxes[count++] = box_new("a");    //~ memory-leak
    boxes[count++] = box_new("b");
    boxes[count++] = box_new("c");
    boxes[count++] = box_new("d");
    boxes[count++] = box_new("e");
    boxes[count++] = box_new("f");
    if (more)
        boxes[count++] = box_new("g");
    for (int i = count - 1; i > 0; i--)
        box_free(boxes[i]);
}

int refused(void);

// The loop behind the jumps releases those that were made before.
char **list_ok(const char *text) {
    unsigned i = 0;
    char **list = calloc(16, sizeof *list);
    if (!list)
        return NULL;
    list[i++] = strdup(text);
    if (refused())
        goto fail;
    list[i++] = strdup(text);
    if (refused())
        goto fail;
    list[i++] = strdup(text);
    if (refused())
        goto fail;
    list[i++] = strdup(text);
    if (refused())
        goto fail;
    list[i++] = strdup(text);
    list[i++] = strdup(text);
    list[i++] = strdup(text);
    if (refused())
        goto fail;
    return list;
fail:
    while (i--)
        free(list[i]);
    free(list);
    return NULL;
}

// Stops before the first element.
char **list_bad(const char *text) {
    unsigned i = 0;
    char **list = calloc(16, sizeof *list);
    if (!list)
        return NULL;
    list[i++] = strdup(text);    //~ memory-leak
    if (refused())
        goto fail;
    list[i++] = strdup(text);
    if (refused())
        goto fail;
    list[i++] = strdup(text);
    if (refused())
        goto fail;
    list[i++] = strdup(text);
    if (refused())
        goto fail;
    list[i++] = strdup(text);
    list[i++] = strdup(text);
    list[i++] = strdup(text);
    if (refused())
        goto fail;
    return list;
fail:
    while (i-- > 1)
        free(list[i]);
    free(list);
    return NULL;
}
