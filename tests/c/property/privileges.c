//@ flags: --rules all
// Giving up privileges: in which order, and what is done when it fails.
#include "stubs.h"

int setuid(unsigned user);
int setgid(unsigned group);
unsigned getuid(void);
unsigned getgid(void);

void group_first_ok(unsigned user, unsigned group, char *const *arguments) {
    if (setgid(group) < 0)
        exit(1);
    if (setuid(user) < 0)
        exit(1);
    execvp(arguments[0], arguments);
}

void user_first_bad(unsigned user, unsigned group) {
    if (setuid(user) != 0)
        exit(1);
    if (setgid(group) != 0) //~ privilege-order
        exit(1);
}

// The group was given up before: it may be given up again.
int twice_ok(unsigned user, unsigned group) {
    if (setgid(getgid()) || setuid(getuid()))
        return 1;
    if (setgid(group) || setuid(user)) //~ false(path) privilege-order: what happened before the user was given up is not remembered
        return 1;
    return 0;
}

// A way back that is not there is what one hopes for.
int no_way_back_ok(unsigned user, char *const *arguments) {
    if (setuid(user) != 0)
        return 1;
    if (setuid(0) != -1)
        return 1;
    execvp(arguments[0], arguments);
    return 1;
}

void nobody_looks_bad(unsigned user, char *const *arguments) {
    int failed = setuid(user);
    if (failed)
        perror("setuid");
    execvp(arguments[0], arguments); //~ privilege-kept
}
