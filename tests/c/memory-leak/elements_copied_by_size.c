// An array that knows the size of its elements and nothing else copies them as bytes. What an element holds is the array's
// afterwards; the bytes that were copied from are not.
#include "stubs.h"

struct array {
    char *items;
    size_t used;
    size_t room;
    size_t size;
};

static char *item(struct array *array, size_t index) {
    return array->items + index * array->size;
}

static int append(struct array *array, const void *element) {
    if (array->used == array->room) {
        char *grown = realloc(array->items, (array->room + 16) * array->size);
        if (!grown)
            return 0;
        array->items = grown;
        array->room += 16;
    }
    memcpy(item(array, array->used), element, array->size);
    array->used++;
    return 1;
}

struct header {
    int number;
    char *name;
    char *value;
};

int header_appended_ok(struct array *headers, const char *name) {
    struct header header = {0, strdup(name), NULL};
    if (!header.name)
        return -1;
    if (!append(headers, &header)) {
        free(header.name);
        return -1;
    }
    return 0;
}

int text_appended_ok(struct array *texts, const char *text) {
    char *copy = strdup(text);
    if (!copy || !append(texts, &copy)) {
        free(copy);
        return -1;
    }
    return 0;
}

static int append_header(struct array *headers, struct header *header) {
    return append(headers, header);
}

int appended_by_helper_ok(struct array *headers, const char *name) {
    struct header header = {0, strdup(name), NULL};
    if (!append_header(headers, &header))
        free(header.name);
    return 0;
}

int not_appended_bad(struct array *headers, const char *name) {
    struct header header = {0, NULL, strdup(name)};    //~ memory-leak
    if (!header.value)
        return -1;
    if (!append(headers, &header))
        return -1;
    return 0;
}

int element_itself_bad(struct array *headers, const char *name) {
    struct header *header = malloc(sizeof *header);    //~ memory-leak "header"
    if (!header)
        return -1;
    header->number = 1;
    header->name = NULL;
    header->value = NULL;
    append(headers, header);
    return 0;
}

int copied_into_own_array_bad(const char *name, size_t at) {
    struct header headers[4];
    struct header header = {0, strdup(name), NULL};    //~ memory-leak
    memset(headers, 0, sizeof headers);
    memcpy(&headers[at & 3], &header, sizeof header);
    return headers[0].number;
}
