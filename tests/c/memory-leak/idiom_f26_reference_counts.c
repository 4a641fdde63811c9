// The block is freed when its last reference is given back.
#include "stubs.h"

struct object {
    int references;
    int value;
};

static struct object *published;

static struct object *object_new(int value) {
    struct object *object = malloc(sizeof *object);
    if (!object)
        return NULL;
    object->references = 1;
    object->value = value;
    return object;
}

static struct object *object_get(struct object *object) {
    object->references++;
    return object;
}

static void object_put(struct object *object) {
    if (!object)
        return;
    if (--object->references == 0)
        free(object);
}

void object_put_atomically(struct object *object) {
    if (__atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL) == 0)
        free(object);
}

int new_and_put_ok(int value) {
    struct object *object = object_new(value);
    if (!object)
        return -1;
    object_put(object);
    return 0;
}

int get_and_two_puts_ok(int value) {
    struct object *object = object_new(value);
    if (!object)
        return -1;
    struct object *second = object_get(object);
    int seen = second->value;
    object_put(second);
    object_put(object);
    return seen;
}

int published_reference_ok(int value) {
    struct object *object = object_new(value);
    if (!object)
        return -1;
    object_put(published);
    published = object_get(object);
    object_put(object);
    return 0;
}

int atomic_count_ok(int value) {
    struct object *object = object_new(value);
    if (!object)
        return -1;
    __atomic_add_fetch(&object->references, 1, __ATOMIC_RELAXED);
    object_put_atomically(object);
    object_put_atomically(object);
    return 0;
}

int borrowed_parameter_ok(struct object *object) {
    object_get(object);
    int seen = object->value;
    object_put(object);
    return seen;
}

// The count is a member, and the release is a function that leads back to the block.

struct kref {
    int count;
};

struct session {
    char *name;
    struct kref kref;
};

static void kref_put(struct kref *kref, void (*release)(struct kref *)) {
    if (--kref->count == 0)
        release(kref);
}

static void session_release(struct kref *kref) {
    struct session *session = (struct session *)((char *)kref - offsetof(struct session, kref));
    free(session->name);
    free(session);
}

int released_by_callback_ok(const char *name) {
    struct session *session = malloc(sizeof *session);
    if (!session)
        return -1;
    session->kref.count = 1;
    session->name = strdup(name);
    kref_put(&session->kref, session_release);
    return 0;
}

int get_without_put_on_error_bad(int value, int error) {
    struct object *object = object_new(value);    //~ memory-leak
    if (!object)
        return -1;
    struct object *second = object_get(object);
    if (error) {
        object_put(object);
        return -1;
    }
    object_put(second);
    object_put(object);
    return 0;
}

int never_put_bad(int value) {
    struct object *object = object_new(value);    //~ memory-leak "object"
    if (!object)
        return -1;
    return object->value;
}

int atomic_count_bad(int value) {
    struct object *object = object_new(value);    //~ memory-leak "object"
    if (!object)
        return -1;
    __atomic_add_fetch(&object->references, 1, __ATOMIC_RELAXED);
    object_put_atomically(object);
    return 0;
}
