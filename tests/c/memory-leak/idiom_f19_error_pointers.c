// A pointer result carries an error number in its highest values: the error branch owns nothing.
#include "stubs.h"

#define MAX_ERRNO 4095

static inline void *ERR_PTR(long error) { return (void *)error; }
static inline long PTR_ERR(const void *pointer) { return (long)pointer; }
static inline bool IS_ERR(const void *pointer) { return (unsigned long)pointer >= (unsigned long)-MAX_ERRNO; }
static inline bool IS_ERR_OR_NULL(const void *pointer) { return !pointer || IS_ERR(pointer); }

struct device {
    int id;
    int state;
};

static struct device *device_open(int id) {
    if (id < 0)
        return ERR_PTR(-EINVAL);
    struct device *device = malloc(sizeof *device);
    if (!device)
        return ERR_PTR(-ENOMEM);
    device->id = id;
    device->state = 0;
    return device;
}

static struct device *device_open_maybe(int id) {
    if (id == 0)
        return NULL;
    return device_open(id);
}

long error_branch_owns_nothing_ok(int id) {
    struct device *device = device_open(id);
    if (IS_ERR(device))
        return PTR_ERR(device);
    long state = device->state;
    free(device);
    return state;
}

long error_or_null_owns_nothing_ok(int id) {
    struct device *device = device_open_maybe(id);
    if (IS_ERR_OR_NULL(device))
        return -1;
    free(device);
    return 0;
}

struct device *passed_on_ok(int id) {
    struct device *device = device_open(id);
    if (IS_ERR(device))
        return NULL;
    device->state = 1;
    return device;
}

long two_devices_ok(int first_id, int second_id) {
    struct device *first = device_open(first_id);
    if (IS_ERR(first))
        return PTR_ERR(first);
    struct device *second = device_open(second_id);
    if (IS_ERR(second)) {
        free(first);
        return PTR_ERR(second);
    }
    free(second);
    free(first);
    return 0;
}

long success_branch_forgets_bad(int id) {
    struct device *device = device_open(id);    //~ memory-leak "device"
    if (IS_ERR(device))
        return PTR_ERR(device);
    if (device->id > 100)
        return -EINVAL;
    free(device);
    return 0;
}

long branch_is_inverted_bad(int id) {
    struct device *device = device_open(id);    //~ memory-leak "device"
    if (!IS_ERR(device))
        return 0;
    return PTR_ERR(device);
}

long first_device_forgotten_bad(int first_id, int second_id) {
    struct device *first = device_open(first_id);    //~ memory-leak "first"
    if (IS_ERR(first))
        return PTR_ERR(first);
    struct device *second = device_open(second_id);
    if (IS_ERR(second))
        return PTR_ERR(second);
    free(second);
    free(first);
    return 0;
}
