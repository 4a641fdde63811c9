// An interrupted wait comes back without the lock, and the error code says so.
#include "stubs.h"

struct port {
    struct mutex mutex;
    struct semaphore semaphore;
    int pending;
    int value;
};

int interrupted_without_lock_ok(struct port *port, int value) {
    if (mutex_lock_interruptible(&port->mutex))
        return -EINTR;
    port->value = value;
    mutex_unlock(&port->mutex);
    return 0;
}

// Zero means locked, anything else means not locked.
int result_tells_the_caller_ok(struct port *port) {
    int error = mutex_lock_interruptible(&port->mutex);
    if (error)
        return error;
    if (port->pending) {
        mutex_unlock(&port->mutex);
        return -EBUSY;
    }
    return 0;
}

int semaphore_as_lock_ok(struct port *port) {
    if (down_interruptible(&port->semaphore))
        return -EINTR;
    port->value++;
    up(&port->semaphore);
    return 0;
}

int same_code_with_and_without_bad(struct port *port, int value) {
    if (mutex_lock_interruptible(&port->mutex))    //~ lock-leak
        return -EINTR;
    if (port->pending)
        return -EINTR;
    port->value = value;
    mutex_unlock(&port->mutex);
    return 0;
}

int unlocked_after_interruption_bad(struct port *port, int value) {
    int error = mutex_lock_interruptible(&port->mutex);
    if (!error)
        port->value = value;
    mutex_unlock(&port->mutex);    //~ double-unlock
    return error;
}
