// Shapes of lock use that the Linux kernel is full of.
#include "stubs.h"

struct device {
    struct device *parent;
    struct mutex lock;
    int users;
};

// A lock function that the compiler puts in place of each call: what happens is told where it is called.
static inline __attribute__((always_inline)) void take(struct device *device) { mutex_lock(&device->lock); }
static inline __attribute__((always_inline)) void give(struct device *device) { mutex_unlock(&device->lock); }

int left_by_one_bad(struct device *device) {
    take(device); //~ lock-leak
    if (device->users > 7)
        return 0;
    device->users++;
    give(device);
    return 0;
}

int left_by_another_bad(struct device *device) {
    take(device); //~ lock-leak
    if (device->users < 7)
        return 0;
    device->users--;
    give(device);
    return 0;
}

// A switch that is patched into the code: assembly that jumps or not, the same way each time.
static int locking_key;
static inline __attribute__((always_inline)) int switched_on(int *key) {
    __asm__ goto("# look at %c0" : : "i"(key) : : on);
    return 0;
on:
    return 1;
}

void patched_switch_ok(struct device *device) {
    if (switched_on(&locking_key))
        mutex_lock(&device->lock);
    device->users++;
    if (switched_on(&locking_key))
        mutex_unlock(&device->lock);
}

int switched_off_bad(struct device *device) {
    if (switched_on(&locking_key))
        mutex_lock(&device->lock); //~ lock-leak
    if (device->users > 7)
        return 1;
    device->users++;
    if (switched_on(&locking_key))
        mutex_unlock(&device->lock);
    return 1;
}

// A member that is read again after a call that may have changed it is taken for what it was.
struct device *find_device(int number);

void read_again_ok(int number) {
    struct device *device = find_device(number);
    mutex_lock(&device->lock);
    device->users++;
    device = find_device(number);
    mutex_unlock(&device->lock);
}

// The wait fails with a negative number or not at all, which the models of the kernel say; so this has to look like
// the kernel.
int _printk(const char *format, ...);

int interrupted_ok(struct device *device) {
    int failed = mutex_lock_interruptible(&device->lock);
    if (failed < 0) {
        _printk("interrupted\n");
        return failed;
    }
    device->users++;
    mutex_unlock(&device->lock);
    return 0;
}

int interrupted_by_name_ok(struct device *device) {
    if (mutex_lock_interruptible(&device->lock) == -4)
        return -4;
    device->users++;
    mutex_unlock(&device->lock);
    return 0;
}

// A read section that belongs to no object.
void __rcu_read_lock(void);
void __rcu_read_unlock(void);

int section_not_left_bad(struct device *device) {
    __rcu_read_lock(); //~ lock-leak
    if (!device->parent)
        return -1;
    device->users++;
    __rcu_read_unlock();
    return -1;
}

int section_left_ok(struct device *device) {
    int users;
    __rcu_read_lock();
    __rcu_read_lock();
    users = device->parent ? device->parent->users : 0;
    __rcu_read_unlock();
    __rcu_read_unlock();
    return users;
}

// The caller's read lock is dropped for a while.
void dropped_for_a_while_ok(rwlock_t *lock, int *count) {
    read_unlock(lock);
    (*count)++;
    read_lock(lock);
}
