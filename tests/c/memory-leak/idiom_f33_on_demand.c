// A field is made when it is first asked for.
#include "stubs.h"

struct document {
    char *title;
    struct index *index;
};
struct index {
    int entries;
    int places[10];
};

static struct index *document_index(struct document *document) {
    if (!document->index)
        document->index = calloc(1, sizeof *document->index);
    return document->index;
}

static const char *document_title(struct document *document) {
    if (document->title)
        return document->title;
    document->title = strdup("untitled");
    return document->title ? document->title : "";
}

int counted_ok(struct document *document) {
    struct index *index = document_index(document);
    return index ? index->entries : 0;
}

size_t measured_ok(struct document *document) {
    return strlen(document_title(document)) + strlen(document_title(document));
}

int indexed_ok(struct document *document, int place) {
    if (!document_index(document))
        return -1;
    struct index *index = document_index(document);
    index->places[index->entries++ % 10] = place;
    return index->entries;
}

int own_document_ok(void) {
    struct document document = { NULL, NULL };
    int entries = document_index(&document) ? 1 : 0;
    free(document.index);
    return entries;
}

int own_document_bad(void) {
    struct document document = { NULL, NULL };
    struct index *index = document_index(&document);    //~ memory-leak
    return index ? index->entries : 0;
}
