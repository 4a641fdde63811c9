// A count of references decides who frees.
#include "stubs.h"

struct blob {
    unsigned int shares;
    size_t size;
    unsigned char *bytes;
};

static struct blob *blob_create(size_t size) {
    struct blob *blob = malloc(sizeof *blob);
    if (!blob)
        return NULL;
    blob->bytes = malloc(size);
    if (!blob->bytes) {
        free(blob);
        return NULL;
    }
    blob->size = size;
    blob->shares = 1;
    return blob;
}

static struct blob *blob_ref(struct blob *blob) {
    if (blob)
        blob->shares += 1;
    return blob;
}

static void blob_unref(struct blob *blob) {
    if (blob == NULL)
        return;
    blob->shares -= 1;
    if (blob->shares > 0)
        return;
    free(blob->bytes);
    free(blob);
}

int one_owner_ok(size_t size) {
    struct blob *blob = blob_create(size);
    if (!blob)
        return -1;
    int first = blob->bytes[0];
    blob_unref(blob);
    return first;
}

int two_owners_ok(size_t size) {
    struct blob *blob = blob_create(size);
    if (!blob)
        return -1;
    struct blob *other = blob_ref(blob);
    blob_unref(blob);
    int first = other->bytes[0];
    blob_unref(other);
    return first;
}

struct view {
    struct blob *blob;
    size_t from, to;
};

void view_set_ok(struct view *view, struct blob *blob) {
    struct blob *old = view->blob;
    view->blob = blob_ref(blob);
    view->from = 0;
    view->to = blob ? blob->size : 0;
    blob_unref(old);
}

int error_path_keeps_a_share_bad(size_t size, int mode) {
    struct blob *blob = blob_create(size);    //~ memory-leak
    if (!blob)
        return -1;
    struct blob *other = blob_ref(blob);
    if (mode < 0) {
        blob_unref(other);
        return -1;
    }
    blob_unref(other);
    blob_unref(blob);
    return 0;
}

int share_never_given_back_bad(size_t size) {
    struct blob *blob = blob_create(size);    //~ memory-leak
    if (!blob)
        return -1;
    blob_ref(blob);
    blob_unref(blob);
    return 0;
}
