// A loop is left in a turn that is not looked at by itself. An iteration that stands for some later one has this way out;
// variables that move in step are in step there too.
#include "stubs.h"

int step(int);
int more(void);

int by_a_limit_bad(void) {
    int tries = 0;
    char *buffer = malloc(100);    //~ memory-leak "buffer"
    if (!buffer)
        return -1;
    while (more()) {
        if (++tries > 20)
            return -2;    //~ note "returns without freeing `buffer`"
        step(tries);
    }
    free(buffer);
    return 0;
}

int counting_down_bad(int n) {
    int fd = open("/dev/null", O_RDONLY);    //~ resource-leak "fd"
    if (fd < 0)
        return -1;
    for (int left = 30; left > 0; left--) {
        if (step(left) == n && left < 10)
            return left;    //~ note "returns without closing `fd`"
    }
    close(fd);
    return 0;
}

int in_steps_bad(unsigned n) {
    char *line = strdup("0123456789");    //~ memory-leak "line"
    unsigned at = 0;
    if (!line)
        return -1;
    do {
        step(line[at % 10]);
        at += 8;
        if (at == 4096)
            goto out;
    } while (at < n);
    free(line);
out:
    return 0;    //~ note "returns without freeing `line`"
}

int between_steps_ok(unsigned n) {
    char *line = strdup("0123456789");
    unsigned at = 0;
    if (!line)
        return -1;
    do {
        step(line[at % 10]);
        at += 8;
        if (at == 4097)
            return 1;
    } while (at < n);
    free(line);
    return 0;
}

int out_of_step_ok(int n) {
    int fd = open("/dev/null", O_RDONLY);
    if (fd < 0)
        return -1;
    int back = n;
    for (int i = 0; i < n; i++, back--) {
        step(i);
        if (i + back != n)
            return 1;
    }
    close(fd);
    return 0;
}

int beyond_the_end_ok(void) {
    char *buffer = malloc(100);
    if (!buffer)
        return -1;
    for (int i = 40; i >= 0; i -= 2) {
        step(i);
        if (i == -2)
            return 1;
    }
    free(buffer);
    return 0;
}

int late_release_ok(int n) {
    char *buffer = malloc(100);
    if (!buffer)
        return -1;
    for (int i = 0; i < n; i++) {
        step(i);
        if (i == 50) {
            free(buffer);
            return 1;
        }
    }
    free(buffer);
    return 0;
}
