// A program that finds its plug-ins by their names while it runs: nothing names their files, and they run all the same.
#include "stubs.h"

void *dlopen(const char *file, int how);
void *dlsym(void *library, const char *name);

int main(int argc, char **argv) {
    void *library = dlopen(NULL, 1);
    for (int i = 1; i < argc; i++) {
        char *(*word)(const char *, size_t) = (char *(*)(const char *, size_t))dlsym(library, argv[i]);
        if (word)
            free(word(argv[i], 3));
    }
    return 0;
}
