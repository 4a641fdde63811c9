// Calls through members of objects, and through tables at an index that is not known. What the program ever puts there is known,
// so the call is one of those functions; if all of them do the same with what they are given and give, that is what the call does.
#include "stubs.h"

struct format {
    const char *name;
    char *(*open)(const char *text);
    void (*close)(char *handle);
    char *(*look)(char *text);
};

static char *plain_open(const char *text) { return strdup(text); }

static char *wide_open(const char *text) {
    char *copy = malloc(2 * strlen(text) + 2);
    if (copy)
        strcpy(copy, text);
    return copy;
}

static void plain_close(char *handle) { free(handle); }

static void loud_close(char *handle) {
    puts(handle);
    free(handle);
}

static char *as_it_is(char *text) { return text; }
static char *copied(char *text) { return strdup(text); }

static const struct format formats[] = {
    { "plain", plain_open, plain_close, as_it_is },
    { "wide", wide_open, loud_close, copied },
};

static const struct format *const known[] = { &formats[1], &formats[0] };

struct file {
    const struct format *format;
    int lines;
};

int element_of_table_bad(int number, const char *text) {
    char *handle = formats[number & 1].open(text);    //~ memory-leak "handle"
    if (!handle)
        return -1;
    if (strlen(handle) > 80)
        return -2;
    formats[number & 1].close(handle);
    return 0;
}

int element_of_table_ok(int number, const char *text) {
    char *handle = formats[number & 1].open(text);
    if (!handle)
        return -1;
    formats[number & 1].close(handle);
    return 0;
}

int found_by_name_bad(const char *name, const char *text) {
    const struct format *format;
    for (format = formats; format < formats + 2; format++)
        if (strcmp(format->name, name) == 0)
            break;
    if (format == formats + 2)
        return -1;
    char *handle = format->open(text);    //~ memory-leak "handle"
    if (!handle)
        return -1;
    return 0;
}

int pointer_in_table_bad(int number, const char *text) {
    char *handle = known[number & 1]->open(text);    //~ memory-leak "handle"
    if (!handle)
        return -1;
    if (*text == '#')
        return 0;
    known[number & 1]->close(handle);
    return 0;
}

int of_an_object_bad(struct file *file, const char *text) {
    char *handle = file->format->open(text);    //~ memory-leak "handle"
    if (!handle)
        return -1;
    if (*text == '#')
        return 0;
    file->lines++;
    file->format->close(handle);
    return 0;
}

int of_an_object_ok(struct file *file, const char *text) {
    char *handle = file->format->open(text);
    if (!handle)
        return -1;
    file->lines++;
    file->format->close(handle);
    return 0;
}

// The functions differ: one gives back what it is given, the other a copy.
int functions_differ_ok(struct file *file, char *text) {
    char *shown = file->format->look(text);
    file->lines++;
    if (shown != text)
        free(shown);
    return file->lines;
}

// More of them than anybody looks at one by one.
typedef char *make_part(const char *text);
static char *p0(const char *t) { return strdup(t); }
static char *p1(const char *t) { return strdup(t + 1); }
static char *p2(const char *t) { return strdup(t + 2); }
static char *p3(const char *t) { return strdup(t + 3); }
static char *p4(const char *t) { return strdup(t + 4); }
static char *p5(const char *t) { return strdup(t + 5); }
static char *p6(const char *t) { return strdup(t + 6); }
static char *p7(const char *t) { return strdup(t + 7); }
static char *p8(const char *t) { return strdup(t + 8); }
static char *p9(const char *t) { return strdup(t + 9); }
static char *p10(const char *t) { return strdup(t + 10); }
static char *p11(const char *t) { return strdup(t + 11); }
static char *p12(const char *t) { return strdup(t + 12); }
static char *p13(const char *t) { return strdup(t + 13); }
static make_part *const parts[] = { p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13 };

int long_table_bad(unsigned number, const char *text) {
    char *part = parts[number % 14](text);    //~ memory-leak "part"
    if (!part)
        return -1;
    if (*part == 0)
        return 0;
    free(part);
    return 1;
}

int long_table_ok(unsigned number, const char *text) {
    char *part = parts[number % 14](text);
    if (!part)
        return -1;
    free(part);
    return 1;
}

// Whoever uses this library may put other functions there.
struct hooks {
    char *(*make)(const char *text);
};

static char *nothing(const char *text) { return *text ? "some" : "none"; }

void hooks_set(struct hooks *hooks, char *(*make)(const char *text)) { hooks->make = make ? make : nothing; }

int hook_of_the_user_ok(struct hooks *hooks, const char *text) {
    char *made = hooks->make(text);
    return made ? *made : 0;
}
