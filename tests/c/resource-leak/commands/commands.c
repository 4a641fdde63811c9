#include "stubs.h"

int list_ok(int argc, char **argv) {
    DIR *dir = opendir(argv[1]);
    if (dir == NULL)
        return 1;
    return readdir(dir) == NULL;
}

int count_bad(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++) {
        FILE *stream = fopen(argv[i], "r");    //~ resource-leak "stream"
        //~^ urgency ordinary
        if (stream != NULL)
            count += fgetc(stream);
    }
    return count;
}

int show_ok(char **argv) {
    char *copy = strdup(argv[0]);
    if (copy == NULL)
        return 1;
    return puts(copy) < 0;
}

int size_bad(const char *name) {
    int fd = open(name, 0);    //~ resource-leak "fd"
    //~^ urgency ordinary
    char byte;
    if (fd < 0)
        return -1;
    return read(fd, &byte, 1);
}
