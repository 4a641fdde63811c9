// Errors are returned as pointers near the end of the address space.
#include "stubs.h"

static inline void *ERR_PTR(long error) { return (void *)error; }
static inline long PTR_ERR(const void *p) { return (long)p; }
static inline int IS_ERR(const void *p) { return (unsigned long)p >= (unsigned long)-4095; }

struct device { int id; };

static struct device *device_get(int id) {
    struct device *device;
    if (id < 0)
        return ERR_PTR(-EINVAL);
    device = malloc(sizeof *device);
    if (!device)
        return ERR_PTR(-ENOMEM);
    device->id = id;
    return device;
}

long used_and_freed_ok(int id) {
    struct device *device = device_get(id);
    if (IS_ERR(device))
        return PTR_ERR(device);
    long seen = device->id;
    free(device);
    return seen;
}

long success_forgets_bad(int id) {
    struct device *device = device_get(id);    //~ memory-leak "device"
    return IS_ERR(device) ? PTR_ERR(device) : 0;
}
