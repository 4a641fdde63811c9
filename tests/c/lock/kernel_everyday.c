// The same in the kernel: interrupts saved and restored, nested locks, readers, ways out by goto, attempts, waits that are interrupted.
#include "stubs.h"

struct device {
    spinlock_t lock;
    spinlock_t list_lock;
    rwlock_t readers;
    struct mutex mutex;
    int open;
    int state;
    int *buffer;
};

int device_open_ok(struct device *device) {
    unsigned long flags;
    spin_lock_irqsave(&device->lock, flags);
    if (device->open) {
        spin_unlock_irqrestore(&device->lock, flags);
        return -EBUSY;
    }
    device->open = 1;
    spin_unlock_irqrestore(&device->lock, flags);
    return 0;
}

int device_open_bad(struct device *device) {
    unsigned long flags;
    spin_lock_irqsave(&device->lock, flags); //~ lock-leak
    if (device->open)
        return -EBUSY;
    device->open = 1;
    spin_unlock_irqrestore(&device->lock, flags);
    return 0;
}

int device_start_ok(struct device *device) {
    int error = 0;
    mutex_lock(&device->mutex);
    if (device->state < 0) {
        error = -EINVAL;
        goto unlock;
    }
    spin_lock(&device->lock);
    if (device->buffer == NULL) {
        error = -ENOMEM;
        goto unlock_both;
    }
    device->state = 1;
unlock_both:
    spin_unlock(&device->lock);
unlock:
    mutex_unlock(&device->mutex);
    return error;
}

int device_start_bad(struct device *device) {
    int error = 0;
    mutex_lock(&device->mutex);
    if (device->state < 0) {
        error = -EINVAL;
        goto unlock;
    }
    spin_lock(&device->lock); //~ lock-leak
    if (device->buffer == NULL) {
        error = -ENOMEM;
        goto unlock;
    }
    device->state = 1;
    spin_unlock(&device->lock);
unlock:
    mutex_unlock(&device->mutex);
    return error;
}

int device_stop_bad(struct device *device) {
    mutex_lock(&device->mutex);
    if (device->state == 0)
        goto unlock_both;
    spin_lock(&device->lock);
    device->state = 0;
unlock_both:
    spin_unlock(&device->lock); //~ miss(path) double-unlock: the caller may hold it when the state is 0
    mutex_unlock(&device->mutex);
    return 0;
}

int device_wait_ok(struct device *device) {
    if (mutex_lock_interruptible(&device->mutex))
        return -EINTR;
    device->state++;
    mutex_unlock(&device->mutex);
    return 0;
}

int device_wait_bad(struct device *device) {
    int error = mutex_lock_interruptible(&device->mutex);
    if (!error)
        device->state++;
    mutex_unlock(&device->mutex); //~ double-unlock
    return error;
}

int device_try_ok(struct device *device) {
    if (!mutex_trylock(&device->mutex))
        return -EBUSY;
    device->state++;
    mutex_unlock(&device->mutex);
    return 0;
}

int device_try_bad(struct device *device) {
    if (mutex_trylock(&device->mutex)) //~ miss(path) lock-leak: held on failure alone, and nowhere unlocked
        return -EBUSY;
    device->state++;
    return 0;
}

int device_read_ok(struct device *device, int from) {
    int value = -EINVAL;
    read_lock(&device->readers);
    if (from >= 0 && device->buffer != NULL)
        value = device->buffer[from];
    read_unlock(&device->readers);
    return value;
}

int device_read_bad(struct device *device, int from) {
    int value;
    read_lock(&device->readers); //~ lock-leak
    if (from < 0 || device->buffer == NULL)
        return -EINVAL;
    value = device->buffer[from];
    read_unlock(&device->readers);
    return value;
}

void device_write_ok(struct device *device, int at, int value) {
    write_lock(&device->readers);
    device->buffer[at] = value;
    write_unlock(&device->readers);
}

int device_write_bad(struct device *device, int at, int value) {
    write_lock(&device->readers); //~ lock-leak
    if (device->buffer == NULL)
        return -ENOMEM;
    device->buffer[at] = value;
    write_unlock(&device->readers);
    return 0;
}

// Let go while something slow is done, and taken again.
int device_refill_ok(struct device *device) {
    int *buffer;
    spin_lock(&device->lock);
    if (device->buffer == NULL) {
        spin_unlock(&device->lock);
        buffer = malloc(64);
        if (buffer == NULL)
            return -ENOMEM;
        spin_lock(&device->lock);
        if (device->buffer == NULL)
            device->buffer = buffer;
        else
            free(buffer);
    }
    device->state++;
    spin_unlock(&device->lock);
    return 0;
}

int device_refill_bad(struct device *device) {
    int *buffer;
    spin_lock(&device->lock);
    if (device->buffer == NULL) {
        spin_unlock(&device->lock);
        buffer = malloc(64);
        if (buffer == NULL)
            goto out;
        spin_lock(&device->lock);
        if (device->buffer == NULL)
            device->buffer = buffer;
        else
            free(buffer);
    }
    device->state++;
out:
    spin_unlock(&device->lock); //~ double-unlock
    return 0;
}

void device_twice_ok(struct device *device) {
    unsigned long flags;
    spin_lock_irqsave(&device->lock, flags);
    spin_lock(&device->list_lock);
    device->state++;
    spin_unlock(&device->list_lock);
    spin_unlock_irqrestore(&device->lock, flags);
}

void device_twice_bad(struct device *device) {
    unsigned long flags;
    spin_lock_irqsave(&device->lock, flags); //~ lock-leak
    spin_lock(&device->list_lock);
    device->state++;
    spin_unlock(&device->list_lock);
    if (device->state > 3)
        return;
    spin_unlock_irqrestore(&device->lock, flags);
}
