// What the other file cannot see.
#include "stubs.h"

struct box {
    char *content;
    struct box *next;
};

struct box *box_new(const char *content);
void box_free(struct box *box);
void box_empty(struct box *box);
void box_store(struct box *box, char *content);
const char *box_show(const struct box *box);
int box_load(char **out, int size);

struct box *box_new(const char *content) {
    struct box *box = malloc(sizeof *box);
    if (!box)
        return NULL;
    box->next = NULL;
    box->content = strdup(content);
    if (!box->content) {
        free(box);
        return NULL;
    }
    return box;
}

void box_empty(struct box *box) {
    free(box->content);
    box->content = NULL;
}

void box_free(struct box *box) {
    if (!box)
        return;
    box_empty(box);
    free(box);
}

void box_store(struct box *box, char *content) {
    free(box->content);
    box->content = content;
}

const char *box_show(const struct box *box) {
    return box->content ? box->content : "";
}

int box_load(char **out, int size) {
    if (size <= 0)
        return -1;
    char *bytes = malloc((size_t)size);
    if (!bytes)
        return -2;
    bytes[0] = '\0';
    *out = bytes;
    return 0;
}
