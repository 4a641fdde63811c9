// The name promises more than the function does.
#include "stubs.h"

int die(const char *message) {
    fprintf(stderr, "%s\n", message);
    return -1;
}
