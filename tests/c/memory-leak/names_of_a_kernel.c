//@ flags: --confidence high
// A function of a program means what its body says, whatever it is called: helpers with names of the Linux kernel do not make a user
// program a kernel, in which a loss on an ordinary path would be less sure.
#include "stubs.h"

void kvfree(const void *block) { free((void *)block); }
static int printk(const char *text) { return puts(text); }

int first_bad(const char *name) {
    char *copy = strdup(name);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    printk(copy);
    return copy[0];
}

int first_ok(const char *name) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    int first = copy[0];
    kvfree(copy);
    return first;
}
