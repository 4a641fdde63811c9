// A function that is not known was shown a block, and the function at hand releases it afterwards where all goes well: it was
// borrowed, and a way out that forgets it loses it. Where the ordinary way keeps nothing of it either, it was given away.
#include "stubs.h"

struct item {
    int id;
    char *text;
};

int send_text(const char *text);
int enqueue(struct item *item);
void announce(struct item *item);
int start_all(void);

int sent_bad(const char *name) {
    char *copy = strdup(name);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    if (send_text(copy) < 0)
        return -1;
    free(copy);
    return 0;
}

// The callee says by zero that it failed.
bool told_bad(int id, bool (*tell)(struct item *)) {
    struct item *item = malloc(sizeof *item);    //~ memory-leak "item"
    if (!item)
        return false;
    item->id = id;
    if (!tell(item))
        return false;
    free(item);
    return true;
}

// Something else fails after it was shown.
int announced_bad(int id, const char *name) {
    struct item *item = malloc(sizeof *item);    //~ memory-leak "item"
    if (!item)
        return -1;
    item->id = id;
    announce(item);
    FILE *file = fopen(name, "r");
    if (!file)
        return -2;
    fclose(file);
    free(item);
    return 0;
}

int sent_ok(const char *name) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    int result = send_text(copy);
    free(copy);
    return result;
}

// The queue has it, unless it says that it has not.
int enqueued_ok(int id) {
    struct item *item = malloc(sizeof *item);
    if (!item)
        return -1;
    item->id = id;
    if (enqueue(item) < 0) {
        free(item);
        return -1;
    }
    return 0;
}

// Announced for good, and taken back where the start fails.
int started_ok(int id) {
    struct item *item = malloc(sizeof *item);
    if (!item)
        return -1;
    item->id = id;
    announce(item);
    if (start_all() < 0) {
        free(item);
        return -1;
    }
    return 0;
}

void given_away_ok(int id) {
    struct item *item = malloc(sizeof *item);
    if (!item)
        return;
    item->id = id;
    announce(item);
}
