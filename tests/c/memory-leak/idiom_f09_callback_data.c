// Data for a callback belongs to the event loop once it is registered; the callback
// releases it later.
#include "stubs.h"

typedef void (*callback)(void *data);

struct slot {
    callback call;
    void *data;
};

struct loop {
    struct slot slots[8];
    unsigned int used;
};

struct request {
    int id;
};

static struct loop main_loop;

static int loop_add(struct loop *loop, callback call, void *data) {
    if (loop->used >= 8)
        return -1;
    loop->slots[loop->used].call = call;
    loop->slots[loop->used].data = data;
    loop->used++;
    return 0;
}

static void call_now(callback call, void *data) { call(data); }

static void request_done(void *data) {
    struct request *request = data;
    printf("%d\n", request->id);
    free(request);
}

static void request_print(void *data) {
    const struct request *request = data;
    printf("%d\n", request->id);
}

void loop_run(struct loop *loop) {
    for (unsigned int i = 0; i < loop->used && i < 8; i++)
        loop->slots[i].call(loop->slots[i].data);
    loop->used = 0;
}

// A library that is not in sight may keep the data.
int register_handler(callback call, void *data);

int registered_or_freed_ok(struct loop *loop, int id) {
    struct request *request = malloc(sizeof *request);
    if (!request)
        return -1;
    request->id = id;
    if (loop_add(loop, request_done, request) < 0) {
        free(request);
        return -1;
    }
    return 0;
}

int registered_globally_ok(int id) {
    struct request *request = malloc(sizeof *request);
    if (!request)
        return -1;
    request->id = id;
    int result = loop_add(&main_loop, request_done, request);
    if (result != 0)
        free(request);
    return result;
}

int called_at_once_ok(int id) {
    struct request *request = malloc(sizeof *request);
    if (!request)
        return -1;
    request->id = id;
    call_now(request_done, request);
    return 0;
}

int registered_with_unknown_library_ok(int id) {
    struct request *request = malloc(sizeof *request);
    if (!request)
        return -1;
    request->id = id;
    return register_handler(request_done, request);
}

int registration_fails_bad(struct loop *loop, int id) {
    struct request *request = malloc(sizeof *request);    //~ memory-leak "request"
    if (!request)
        return -1;
    request->id = id;
    if (loop_add(loop, request_done, request) < 0)
        return -1;
    return 0;
}

int registration_is_skipped_bad(struct loop *loop, int id) {
    struct request *request = malloc(sizeof *request);    //~ memory-leak "request"
    if (!request)
        return -1;
    request->id = id;
    if (id < 0)
        return -1;
    if (loop_add(loop, request_done, request) < 0) {
        free(request);
        return -1;
    }
    return 0;
}

int called_at_once_without_release_bad(int id) {
    struct request *request = malloc(sizeof *request);    //~ memory-leak "request"
    if (!request)
        return -1;
    request->id = id;
    call_now(request_print, request);
    return 0;
}
