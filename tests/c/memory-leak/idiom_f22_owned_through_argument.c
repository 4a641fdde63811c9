// Library functions that allocate through an argument, in loops and conditions.
#include "stubs.h"

int lines_ok(FILE *file) {
    char *line = NULL;
    size_t capacity = 0;
    int count = 0;
    for (ssize_t n; (n = getline(&line, &capacity, file)) != -1; count += n > 1)
        continue;
    free(line);
    return count;
}

char *formatted_ok(int number) {
    char *text;
    return asprintf(&text, "%d", number) < 0 ? NULL : text;
}

int freed_only_on_success_bad(FILE *file) {
    char *line = NULL;
    size_t capacity = 0;
    if (getline(&line, &capacity, file) == -1)    //~ memory-leak "line"
        return -1;
    int length = (int)strlen(line);
    free(line);
    return length;
}

int formatted_and_dropped_bad(int number) {
    char *text = NULL;
    if (asprintf(&text, "%d", number) == -1)    //~ memory-leak "text"
        return -1;
    return (int)strlen(text);
}
