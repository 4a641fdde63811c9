// Library functions that hand memory over through an argument.
#include "stubs.h"

long line_freed_after_loop_ok(FILE *file) {
    char *line = NULL;
    size_t capacity = 0;
    long total = 0;
    ssize_t length;
    while ((length = getline(&line, &capacity, file)) != -1)
        total += length;
    free(line);
    return total;
}

int line_freed_on_failure_too_ok(FILE *file) {
    char *line = NULL;
    size_t capacity = 0;
    if (getline(&line, &capacity, file) < 0) {
        free(line);
        return -1;
    }
    int first = line[0];
    free(line);
    return first;
}

int line_freed_only_on_success_bad(FILE *file) {
    char *line = NULL;
    size_t capacity = 0;
    int first = -1;
    if (getline(&line, &capacity, file) > 0) {    //~ memory-leak "line"
        first = line[0];
        free(line);
    }
    return first;
}

int line_left_by_break_bad(FILE *file) {
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) != -1) {    //~ memory-leak "line"
        if (line[0] == '#')
            return 1;
    }
    free(line);
    return 0;
}

int line_forgotten_every_time_bad(FILE *file) {
    int lines = 0;
    for (;;) {
        char *line = NULL;
        size_t capacity = 0;
        ssize_t length = getdelim(&line, &capacity, ';', file);    //~ memory-leak "line"
        if (length < 0) {
            free(line);
            break;
        }
        lines++;
    }
    return lines;
}

int formatted_text_ok(int number) {
    char *text;
    if (asprintf(&text, "%d", number) < 0)
        return -1;
    int first = text[0];
    free(text);
    return first;
}

static char *format(const char *pattern, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, pattern);
    int length = vasprintf(&text, pattern, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

int formatted_by_wrapper_ok(int number) {
    char *text = format("%d", number);
    if (!text)
        return -1;
    int first = text[0];
    free(text);
    return first;
}

int formatted_by_wrapper_bad(int number) {
    char *text = format("%d", number);    //~ memory-leak "text"
    if (!text)
        return -1;
    return text[0];
}

int formatted_text_bad(int number, int limit) {
    char *text;
    if (asprintf(&text, "%d", number) < 0)    //~ memory-leak "text"
        return -1;
    if (number > limit)
        return -1;
    free(text);
    return 0;
}

int stream_buffer_ok(int number) {
    char *buffer = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&buffer, &size);
    if (!stream)
        return -1;
    fprintf(stream, "%d", number);
    fclose(stream);
    puts(buffer);
    free(buffer);
    return (int)size;
}

int stream_buffer_bad(int number) {
    char *buffer = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&buffer, &size);    //~ memory-leak "buffer"
    if (!stream)
        return -1;
    fprintf(stream, "%d", number);
    fclose(stream);
    puts(buffer);
    return (int)size;
}

int directory_entries_ok(const char *path) {
    struct dirent **list;
    int count = scandir(path, &list, NULL, alphasort);
    if (count < 0)
        return -1;
    for (int i = 0; i < count; i++) {
        puts(list[i]->d_name);
        free(list[i]);
    }
    free(list);
    return count;
}

int directory_list_bad(const char *path) {
    struct dirent **list;
    int count = scandir(path, &list, NULL, alphasort);    //~ memory-leak
    if (count < 0)
        return -1;
    for (int i = 0; i < count; i++)
        free(list[i]);
    return count;
}

int directory_entries_bad(const char *path) {
    struct dirent **list;
    int count = scandir(path, &list, NULL, alphasort);    //~ memory-leak
    if (count < 0)
        return -1;
    for (int i = 0; i < count; i++)
        puts(list[i]->d_name);
    free(list);
    return count;
}

int aligned_block_ok(size_t size) {
    void *block;
    if (posix_memalign(&block, 64, size) != 0)
        return -1;
    free(block);
    return 0;
}

int aligned_block_bad(size_t size) {
    void *block;
    if (posix_memalign(&block, 64, size) != 0)    //~ memory-leak "block"
        return -1;
    return size > 64;
}

int path_allocated_when_null_ok(const char *path) {
    char *full = realpath(path, NULL);
    if (!full)
        return -1;
    puts(full);
    free(full);
    return 0;
}

int path_in_own_buffer_ok(const char *path) {
    char buffer[4096];
    char *full = realpath(path, buffer);
    if (!full)
        return -1;
    return puts(full);
}

int path_allocated_when_null_bad(const char *path) {
    char *full = realpath(path, NULL);    //~ memory-leak "full"
    if (!full)
        return -1;
    return puts(full);
}
