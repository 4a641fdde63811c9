// Library functions that hand out memory through an argument.
#include "stubs.h"

int getline_loop_ok(FILE *in) {
    char *line = NULL;
    size_t room = 0;
    int count = 0;
    while (getline(&line, &room, in) != -1)
        count++;
    free(line);
    return count;
}

char *formatted_ok(int number) {
    char *text;
    if (asprintf(&text, "%d", number) == -1)
        return NULL;
    return text;
}

char *stream_to_memory_ok(const char *text) {
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (!stream)
        return NULL;
    fputs(text, stream);
    fclose(stream);
    return bytes;
}

int directory_ok(const char *path) {
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort);
    if (count < 0)
        return -1;
    for (int i = 0; i < count; i++) {
        puts(names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return count;
}

int aligned_ok(size_t size) {
    void *block;
    int error = posix_memalign(&block, 64, size);
    if (error)
        return error;
    memset(block, 0, size);
    free(block);
    return 0;
}

int line_freed_only_on_success_bad(FILE *in) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, in);    //~ memory-leak
    if (length < 0)
        return -1;
    int first = line[0];
    free(line);
    return first;
}

int formatted_text_dropped_bad(int number) {
    char *text = NULL;
    int length = asprintf(&text, "%d", number);    //~ memory-leak
    if (length < 0)
        return -1;
    puts(text);
    return length;
}

int aligned_block_dropped_bad(size_t size) {
    void *block = NULL;
    if (posix_memalign(&block, 16, size) != 0)    //~ memory-leak
        return -1;
    memset(block, 0, size);
    return 0;
}
