// Streams and directories: every way out of the function closes them.
#include "stubs.h"

struct log {
    FILE *file;
    int lines;
};

static FILE *trace;

static FILE *open_text(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        perror(path);
    return file;
}

int closed_on_both_paths_ok(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    int c = fgetc(file);
    if (c == EOF) {
        fclose(file);
        return -1;
    }
    fclose(file);
    return c;
}

int closed_in_condition_ok(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    if (fputs("text", file) == EOF) {
        fclose(file);
        return -1;
    }
    return fclose(file) == 0 ? 0 : -1;
}

int goto_cleanup_ok(const char *from, const char *to) {
    int result = -1;
    FILE *output = NULL;
    FILE *input = fopen(from, "r");
    if (!input)
        goto done;
    output = fopen(to, "w");
    if (!output)
        goto done;
    int c;
    while ((c = fgetc(input)) != EOF) {
        if (fputc(c, output) == EOF)
            goto done;
    }
    result = 0;
done:
    if (output)
        fclose(output);
    if (input)
        fclose(input);
    return result;
}

int kept_in_parameter_ok(struct log *log, const char *path) {
    log->file = fopen(path, "a");
    log->lines = 0;
    return log->file ? 0 : -1;
}

int kept_in_global_ok(const char *path) {
    if (trace)
        fclose(trace);
    trace = fopen(path, "w");
    return trace != NULL;
}

FILE *returned_ok(const char *path) {
    return open_text(path);
}

int standard_or_file_ok(const char *path) {
    FILE *input = path ? fopen(path, "r") : stdin;
    if (!input)
        return -1;
    int c = fgetc(input);
    if (input != stdin)
        fclose(input);
    return c;
}

int directory_closed_ok(const char *path) {
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    int count = 0;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        count++;
    }
    closedir(directory);
    return count;
}

int directory_takes_descriptor_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    DIR *directory = fdopendir(fd);
    if (!directory) {
        close(fd);
        return -1;
    }
    closedir(directory);
    return 0;
}

int left_open_on_error_bad(const char *path) {
    FILE *file = fopen(path, "r");    //~ resource-leak "file"
    if (!file)
        return -1;
    int c = fgetc(file);
    if (c == EOF)
        return -1;
    fclose(file);
    return c;
}

int never_closed_bad(const char *path) {
    FILE *file = open_text(path);    //~ resource-leak "file"
    if (!file)
        return -1;
    return fgetc(file);
}

int first_left_open_bad(const char *from, const char *to) {
    FILE *input = fopen(from, "r");    //~ resource-leak "input"
    if (!input)
        return -1;
    FILE *output = fopen(to, "w");
    if (!output)
        return -1;
    fputc(fgetc(input), output);
    fclose(output);
    fclose(input);
    return 0;
}

int opened_again_bad(const char *first, const char *second) {
    FILE *file = fopen(first, "r");    //~ resource-leak "file"
    if (!file)
        return -1;
    int c = fgetc(file);
    if (c == EOF) {
        file = fopen(second, "r");
        if (!file)
            return -1;
    }
    fclose(file);
    return c;
}

int directory_left_open_bad(const char *path, const char *name) {
    DIR *directory = opendir(path);    //~ resource-leak "directory"
    if (!directory)
        return -1;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, name) == 0)
            return 1;
    }
    closedir(directory);
    return 0;
}

int descriptor_in_local_struct_bad(const char *path) {
    struct log log;
    log.lines = 0;
    log.file = fopen(path, "r");    //~ resource-leak "log.file"
    if (!log.file)
        return -1;
    return log.lines;
}

int wrong_order_of_tests_bad(const char *path, size_t limit) {
    FILE *file = fopen(path, "r");    //~ resource-leak "file"
    if (limit == 0)
        return -1;
    if (!file)
        return -1;
    fclose(file);
    return 0;
}
