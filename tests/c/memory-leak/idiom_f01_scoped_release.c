// Macros that release a variable when its scope ends.
#include "stubs.h"

static inline void close_stream(FILE **place) {
    if (*place)
        fclose(*place);
}
static inline void drop_string(void *place) {
    void **slot = place;
    free(*slot);
}
static inline void only_report(char **place) { printf("leaving with %s\n", *place ? *place : "nothing"); }

#define scoped_string __attribute__((cleanup(drop_string))) char *
#define scoped_stream __attribute__((cleanup(close_stream))) FILE *
#define steal(place) ({ __typeof__(place) taken_ = (place); (place) = NULL; taken_; })

int count_commas_ok(const char *path) {
    scoped_stream in = fopen(path, "r");
    scoped_string line = malloc(256);
    int count = 0;
    if (!in)
        return -1;
    if (!line)
        return -2;
    while (fgets(line, 256, in)) {
        for (const char *c = line; *c; c++) {
            if (*c == '#')
                return count;
            count += *c == ',';
        }
    }
    return count;
}

char *greeting_ok(const char *who) {
    scoped_string text = malloc(strlen(who) + 8);
    if (!text)
        return NULL;
    if (who[0] == '\0')
        return NULL;
    snprintf(text, strlen(who) + 8, "hello %s", who);
    return steal(text);
}

int scope_inside_loop_ok(char *const *names, int count) {
    int longest = 0;
    for (int i = 0; i < count; i++) {
        scoped_string copy = strdup(names[i]);
        if (!copy)
            continue;
        if (copy[0] == '!')
            break;
        int length = (int)strlen(copy);
        if (length > longest)
            longest = length;
    }
    return longest;
}

int cleanup_only_reports_bad(const char *who) {
    __attribute__((cleanup(only_report))) char *text = strdup(who);    //~ memory-leak "text"
    if (!text)
        return -1;
    if (text[0] == '-')
        return 1;
    return 0;
}

int reassigned_before_scope_ends_bad(const char *first, const char *second) {
    scoped_string text = strdup(first);    //~ memory-leak "text"
    if (!text)
        return -1;
    int length = (int)strlen(text);
    text = strdup(second);
    return text ? length : 0;
}
