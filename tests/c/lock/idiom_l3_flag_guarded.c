// Lock and unlock stand under the same condition.
#include "stubs.h"

struct device {
    spinlock_t lock;
    int threaded;
    int count;
};

void same_parameter_ok(struct device *device, int locked_already) {
    if (!locked_already)
        spin_lock(&device->lock);
    device->count++;
    if (!locked_already)
        spin_unlock(&device->lock);
}

void same_field_ok(struct device *device) {
    int threaded = device->threaded;
    if (threaded)
        spin_lock(&device->lock);
    device->count++;
    if (threaded)
        spin_unlock(&device->lock);
}

void same_bit_ok(pthread_mutex_t *mutex, unsigned int flags, int *count) {
    if (flags & 4)
        pthread_mutex_lock(mutex);
    (*count)++;
    if (flags & 4)
        pthread_mutex_unlock(mutex);
}

void flag_changed_between_bad(struct device *device, int careful) {
    if (careful)
        spin_lock(&device->lock);    //~ lock-leak
    device->count++;
    if (device->count > 10)
        careful = 0;
    if (careful)
        spin_unlock(&device->lock);
}

void other_flag_bad(pthread_mutex_t *mutex, unsigned int flags, int *count) {
    if (flags & 6)
        pthread_mutex_lock(mutex);    //~ lock-leak
    (*count)++;
    if (flags & 4)
        pthread_mutex_unlock(mutex);
}
