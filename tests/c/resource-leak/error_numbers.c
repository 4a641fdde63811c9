// Functions that fail with an error number never give a negative one: a test for that
// is never true, and what it leaves out is not lost.
#include "stubs.h"

int read_line_ok(pthread_mutex_t *mutex, const char *name) {
    FILE *stream = fopen(name, "r");
    if (!stream)
        return -1;
    if (pthread_mutex_lock(mutex) < 0)
        return -1;
    int byte = fgetc(stream);
    pthread_mutex_unlock(mutex);
    fclose(stream);
    return byte;
}

int read_line_bad(pthread_mutex_t *mutex, const char *name) {
    FILE *stream = fopen(name, "r");    //~ resource-leak
    if (!stream)
        return -1;
    if (pthread_mutex_lock(mutex) != 0)
        return -1;
    int byte = fgetc(stream);
    pthread_mutex_unlock(mutex);
    fclose(stream);
    return byte;
}
