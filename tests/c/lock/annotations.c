// What annotations for sparse and attributes for Clang promise, and what the functions do.
#include "stubs.h"

#define __acquires(x)
#define __releases(x)
#define __must_hold(x)

struct device {
    struct mutex lock, other;
    int users;
};

void taken_ok(struct device *device)
    __acquires(&device->lock)
{
    mutex_lock(&device->lock);
    device->users++;
}

void taken_bad(struct device *device)
    __acquires(&device->lock) //~ note "says that the lock is held when the function returns"
{
    mutex_lock(&device->lock);
    device->users++;
    mutex_unlock(&device->lock); //~ lock-annotation
}

void given_up_ok(struct device *device)
    __releases(&device->lock)
{
    device->users--;
    mutex_unlock(&device->lock);
}

void given_up_bad(struct device *device)
    __releases(&device->lock)
{
    mutex_lock(&device->lock); //~ lock-annotation
    device->users--;
}

// Given up and taken again.
void between_ok(struct device *device)
    __releases(&device->lock) __acquires(&device->lock)
{
    mutex_unlock(&device->lock);
    device->users++;
    mutex_lock(&device->lock);
}

void between_bad(struct device *device)
    __releases(&device->lock) __acquires(&device->lock)
{
    mutex_unlock(&device->lock); //~ lock-annotation
    device->users++;
}

void held_by_caller_ok(struct device *device) __must_hold(&device->lock)
{
    device->users++;
    mutex_lock(&device->other);
    mutex_unlock(&device->other);
}

void held_by_caller_bad(struct device *device) __must_hold(&device->lock)
{
    mutex_lock(&device->lock);
    device->users++;
    mutex_unlock(&device->lock); //~ lock-annotation
}

// Some ways out keep the promise: the annotation has no words for the condition.
int conditional_ok(struct device *device)
    __acquires(&device->lock)
{
    mutex_lock(&device->lock);
    if (device->users)
        return 0;
    mutex_unlock(&device->lock);
    return -1;
}

// Of another lock nothing is promised.
void another_ok(struct device *device)
    __acquires(&device->bit)
{
    mutex_lock(&device->lock);
    device->users++;
    mutex_unlock(&device->lock);
}

// Attributes in a declaration. The text of the source is read: no compiler has to know them.
#if 0
int try_device_ok(struct device *device) __attribute__((try_acquire_capability(1, device->lock)));
int try_device_bad(struct device *device) __attribute__((try_acquire_capability(1, device->lock)));
#endif

int try_device_ok(struct device *device) {
    if (!mutex_trylock(&device->lock))
        return 0;
    return 1;
}

int try_device_bad(struct device *device) {
    if (!mutex_trylock(&device->lock)) //~ lock-annotation
        return 1;
    return 0;
}
