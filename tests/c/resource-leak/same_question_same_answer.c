// A function that only looks at a text gives the same answer as long as the text is the same.
#include "stubs.h"

int strcmp(const char *left, const char *right) __attribute__((pure));
void show(FILE *file);

static int is_dash(const char *name) { return strcmp(name, "-") == 0; }
static int is_standard(const char *name) { return name && (is_dash(name) || strcmp(name, "stdin") == 0); }

// Asked twice, through one function and through two.
int first_byte_ok(const char *name) {
    FILE *file = is_dash(name) ? stdin : fopen(name, "r");
    if (!file)
        return -1;
    int byte = fgetc(file);
    show(stdin);
    if (!is_dash(name))
        fclose(file);
    return byte;
}
int first_of_standard_ok(const char *name) {
    FILE *file = stdin;
    if (!is_standard(name)) {
        file = fopen(name, "r");
        if (!file)
            return -1;
    }
    int byte = fgetc(file);
    if (!is_standard(name))
        fclose(file);
    return byte;
}

// Another text.
int first_of_two_bad(const char *name, const char *other) {
    FILE *file = is_dash(name) ? stdin : fopen(name, "r"); //~ resource-leak "file"
    if (!file)
        return -1;
    int byte = fgetc(file);
    if (!is_dash(other))
        fclose(file);
    return byte;
}

// The text has changed in between.
int first_of_changed_bad(char *name, const char *other) {
    FILE *file = is_dash(name) ? stdin : fopen(name, "r"); //~ resource-leak "file"
    if (!file)
        return -1;
    int byte = fgetc(file);
    strcpy(name, other);
    if (!is_dash(name))
        fclose(file);
    return byte;
}

// Each of the texts that the variable may hold has its own answer.
int first_of_either_ok(const char *name) {
    FILE *file;
    const char *title = name;
    if (is_dash(name)) {
        file = stdin;
        title = "standard input";
    } else {
        file = fopen(name, "r");
        if (!file)
            return -1;
    }
    puts(title);
    int byte = fgetc(file);
    if (file != stdin && !is_dash(title))
        fclose(file);
    return byte;
}

// A variable of the program decides as well, and it may change.
static int pass;
void next_pass(void);
void count_pass(void) { pass++; }
static int is_last(const char *name) { return pass > 2 && is_dash(name); }
int first_in_pass_bad(const char *name) {
    FILE *file = is_last(name) ? stdin : fopen(name, "r"); //~ resource-leak "file"
    if (!file)
        return -1;
    int byte = fgetc(file);
    count_pass();
    if (!is_last(name))
        fclose(file);
    return byte;
}

// What is read into the text changes it, the first time and every other time.
int last_command_bad(FILE *in, char *line) {
    char *kept = malloc(1); //~ memory-leak "kept"
    if (!kept)
        return -1;
    if (is_dash(line)) {
        free(kept);
        return 0;
    }
    if (!fgets(line, 10, in)) {
        free(kept);
        return 0;
    }
    if (is_dash(line))
        return 1;
    free(kept);
    return 2;
}
int until_dash_bad(FILE *in) {
    char line[10];
    char *kept = 0;
    while (fgets(line, sizeof line, in)) {
        if (strcmp(line, "-") == 0) {
            free(kept);
            return 0;
        }
        free(kept);
        kept = malloc(1); //~ memory-leak "kept"
        if (!fgets(line, sizeof line, in))
            break;
        if (strcmp(line, "-") == 0)
            return 1;
    }
    free(kept);
    return 2;
}
// On paths where nothing was read the text is as it was.
int perhaps_read_ok(FILE *in, char *line, int again) {
    char *kept = is_dash(line) ? 0 : malloc(1);
    if (again) {
        int bytes = fgets(line, 10, in) ? 1 : 2;
        free(kept);
        return bytes;
    }
    if (!is_dash(line))
        free(kept);
    return 0;
}
