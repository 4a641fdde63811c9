// An accessor that allocates its field on first use is not an allocator: the block
// belongs to the struct.
#include "stubs.h"

struct buffer {
    char *data;
    int used;
};

struct document {
    struct buffer body;
    char *title;
};

static char *buffer_data(struct buffer *buffer) {
    if (!buffer->data)
        buffer->data = malloc(64);
    return buffer->data;
}

static const char *document_title(struct document *document) {
    if (!document->title)
        document->title = strdup("untitled");
    return document->title ? document->title : "";
}

char *accessor_itself_ok(struct buffer *buffer) {
    return buffer_data(buffer);
}

void result_is_borrowed_ok(struct buffer *buffer) {
    char *data = buffer_data(buffer);
    if (data)
        data[0] = '\0';
}

int asked_twice_ok(struct document *document) {
    const char *first = document_title(document);
    const char *second = document_title(document);
    return first[0] == second[0];
}

void inner_struct_ok(struct document *document) {
    char *data = buffer_data(&document->body);
    if (data)
        data[0] = 'x';
    document->body.used = 1;
}

int owner_on_the_stack_freed_ok(void) {
    struct buffer buffer = { NULL, 0 };
    char *data = buffer_data(&buffer);
    if (!data)
        return -1;
    data[0] = '\0';
    free(buffer.data);
    return 0;
}

int owner_on_the_stack_dies_bad(void) {
    struct buffer buffer = { NULL, 0 };
    char *data = buffer_data(&buffer);    //~ memory-leak
    if (!data)
        return -1;
    data[0] = '\0';
    return buffer.used;
}

int owner_freed_without_field_bad(void) {
    struct document *document = calloc(1, sizeof *document);
    if (!document)
        return -1;
    const char *title = document_title(document);    //~ memory-leak
    int first = title[0];
    free(document);
    return first;
}
