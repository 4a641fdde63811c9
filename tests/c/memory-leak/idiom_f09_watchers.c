// User data goes to an event loop together with the function that will free it.
#include "stubs.h"

typedef void handler(void *data, int events);
struct watcher { handler *call; void *data; };
static struct watcher watchers[8];

static int watch(int fd, handler *call, void *data) {
    if (fd < 0 || fd >= 8 || watchers[fd].call)
        return -EBUSY;
    watchers[fd] = (struct watcher){ call, data };
    return 0;
}

static void on_line(void *data, int events) {
    if (events)
        puts((const char *)data);
    free(data);
}

int watched_ok(int fd, const char *text) {
    char *data = strdup(text);
    if (data && watch(fd, on_line, data) < 0)
        free(data), data = NULL;
    return data ? 0 : -1;
}

int busy_slot_bad(int fd, const char *text) {
    char *data = strdup(text);    //~ memory-leak "data"
    if (!data)
        return -1;
    return watch(fd, on_line, data);
}
