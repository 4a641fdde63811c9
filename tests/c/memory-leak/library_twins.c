// What functions of the library hand out in memory, also where they fail, each with a twin.
#include "stubs.h"


int getline_ok(FILE *stream) {
    char *line = 0;
    size_t capacity = 0;
    int count = 0;
    while (getline(&line, &capacity, stream) >= 0)
        count++;
    free(line);
    return count;
}

/* There is a line also at the end of the file. */
int getline_end_bad(FILE *stream) {
    char *line = 0;
    size_t capacity = 0;
    if (getline(&line, &capacity, stream) < 0) //~ memory-leak
        return -1;
    free(line);
    return 0;
}

int getdelim_ok(FILE *stream) {
    char *line = 0;
    size_t capacity = 0;
    int length = (int)getdelim(&line, &capacity, ';', stream);
    free(line);
    return length;
}

int getdelim_bad(FILE *stream) {
    char *line = 0;
    size_t capacity = 0;
    return (int)getdelim(&line, &capacity, ';', stream); //~ memory-leak
}

int asprintf_ok(int number) {
    char *text;
    if (asprintf(&text, "%d", number) < 0)
        return -1;
    free(text);
    return 0;
}

int asprintf_bad(int number) {
    char *text;
    if (asprintf(&text, "%d", number) < 0) //~ memory-leak
        return -1;
    return text[0];
}

/* The buffer is the caller's, after the stream is closed. */
char *open_memstream_ok(int number) {
    char *text = 0;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return 0;
    fprintf(stream, "%d", number);
    fclose(stream);
    return text;
}

int open_memstream_bad(int number) {
    char *text = 0;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size); //~ memory-leak
    if (!stream)
        return 0;
    fprintf(stream, "%d", number);
    fclose(stream);
    return (int)size;
}

int realpath_ok(const char *path) {
    char buffer[4096];
    return realpath(path, buffer) ? buffer[0] : 0;
}

int realpath_bad(const char *path) {
    char *real = realpath(path, 0); //~ memory-leak
    return real ? real[0] : 0;
}

int realpath_freed_ok(const char *path) {
    char *real = realpath(path, 0);
    int first = real ? real[0] : 0;
    free(real);
    return first;
}

int strndup_ok(const char *text) {
    char *copy = strndup(text, 3);
    int first = copy ? copy[0] : 0;
    free(copy);
    return first;
}

int strndup_bad(const char *text) {
    char *copy = strndup(text, 3); //~ memory-leak
    return copy ? copy[0] : 0;
}
