// The situations of path-by-path modelling: what a call allocates may depend on its
// return value or on a global, and a caller is judged by exactly those conditions.
#include "stubs.h"

// The return value tells whether *out was allocated.

static int allocate_and_tell(int **out) {
    int *block = malloc(8);
    if (!block)
        return 0;
    *out = block;
    return 1;
}

// *out is always allocated, the return value says something else.

static int allocate_and_not_tell(int **out, int mood) {
    int *block = malloc(8);
    if (!block)
        abort();
    *out = block;
    if (mood > 3)
        return 1;
    return 0;
}

void two_out_parameters_bad(int mood) {
    int *number;
    int told = allocate_and_tell(&number);
    if (!told)
        return;
    *number = 1;
    free(number);

    int lucky = allocate_and_not_tell(&number, mood);    //~ memory-leak "number"
    if (!lucky)
        return;
    *number = 2;
    free(number);
}

void two_out_parameters_ok(int mood) {
    int *number;
    if (!allocate_and_tell(&number))
        return;
    *number = 1;
    free(number);

    int lucky = allocate_and_not_tell(&number, mood);
    if (lucky)
        *number = 2;
    free(number);
}

// The behaviours of a function: returns a heap object.

static char *make_text(void) {
    return malloc(8);
}

void returned_heap_object_bad(void) {
    char *text = make_text();    //~ memory-leak "text"
    if (text)
        text[0] = 'a';
}

void returned_heap_object_ok(void) {
    char *text = make_text();
    free(text);
}

// Allocates into a global, unconditionally and under a condition on that global.

static int *total;
static int *lazy;

static void allocate_total(void) { total = malloc(8); }
static void release_total(void) { free(total); total = NULL; }

void global_pair_ok(void) {
    release_total();
    allocate_total();
    release_total();
}

void allocate_once(void) {
    if (!lazy)
        lazy = malloc(8);
}

void allocate_once_called_twice_ok(void) {
    allocate_once();
    allocate_once();
}

void global_allocated_twice_bad(void) {
    release_total();
    allocate_total();    //~ memory-leak
    allocate_total();
    release_total();
}

// Allocates into what an argument points at, with and without a telling result.

static int fill(char **out, size_t size) {
    *out = malloc(size);
    return *out ? 0 : -1;
}

int argument_allocated_on_success_ok(size_t size) {
    char *buffer;
    if (fill(&buffer, size) != 0)
        return -1;
    buffer[0] = 0;
    free(buffer);
    return 0;
}

int argument_allocated_on_success_bad(size_t size) {
    char *buffer;
    if (fill(&buffer, size) == 0)    //~ memory-leak "buffer"
        return 0;
    return -1;
}

static int allocate_then_judge(int **out, int x) {
    *out = malloc(8);
    if (x > 3)
        return 1;
    return 0;
}

int unrelated_result_bad(int x) {
    int *number;
    if (allocate_then_judge(&number, x)) {    //~ memory-leak "number"
        free(number);
        return 1;
    }
    return 0;
}

int unrelated_result_ok(int x) {
    int *number;
    int big = allocate_then_judge(&number, x);
    free(number);
    return big;
}

// Releases what an argument points at.

static void release(char *text) { free(text); }
static void only_print(char *text) { puts(text); }

void argument_released_ok(const char *from) {
    char *copy = strdup(from);
    if (!copy)
        return;
    release(copy);
}

void argument_not_released_bad(const char *from) {
    char *copy = strdup(from);    //~ memory-leak "copy"
    if (!copy)
        return;
    only_print(copy);
}

// A loop body that allocates, and a continue before the release.

static char *find_in_path(const char *name, int index) {
    if (index > 4 || index < 0)
        return NULL;
    char *result = malloc(strlen(name) + 8);
    if (!result)
        return NULL;
    strcpy(result, name);
    return result;
}

int path_search_bad(const char *name, int in_home, int skip_tilde) {
    int next = 0;
    int shown = 0;
    char *result;
    do {
        result = find_in_path(name, next);    //~ memory-leak "result"
        next++;
        if (result) {
            if (in_home) {
                if (skip_tilde)
                    continue;
            }
            puts(result);
            shown++;
            free(result);
        }
    } while (result);
    return shown;
}

int path_search_ok(const char *name, int in_home, int skip_tilde) {
    int next = 0;
    int shown = 0;
    int more;
    do {
        char *result = find_in_path(name, next);
        next++;
        more = result != NULL;
        if (result) {
            if (in_home && skip_tilde) {
                free(result);
                continue;
            }
            puts(result);
            shown++;
            free(result);
        }
    } while (more);
    return shown;
}

// The callee allocates through its second argument, the caller returns on a parse failure.

static int response(int socket, char **line) {
    char *text = malloc(80);
    if (!text)
        return -1;
    ssize_t count = read(socket, text, 79);
    if (count <= 0) {
        free(text);
        return -2;
    }
    text[count] = '\0';
    *line = text;
    return 0;
}

int passive_mode_bad(int socket, int *port) {
    char *line;
    int error = response(socket, &line);    //~ memory-leak "line"
    if (error)
        return error;
    char *s = line;
    if (*s != '2') {
        free(line);
        return 1;
    }
    for (s += 1; *s && !isdigit(*s); s++)
        ;
    if (!*s)
        return 2;
    *port = atoi(s);
    free(line);
    return 0;
}

int passive_mode_ok(int socket, int *port) {
    char *line;
    int error = response(socket, &line);
    if (error)
        return error;
    char *s = line;
    for (; *s && !isdigit(*s); s++)
        ;
    int found = *s != '\0';
    if (found)
        *port = atoi(s);
    free(line);
    return found ? 0 : 2;
}
