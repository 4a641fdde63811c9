// The address of a member in a table leads there: options are set by name.
#include "stubs.h"

static struct settings {
    int verbose;
    int backup;
} settings;

static const struct {
    const char *name;
    void *place;
} table[] = {{"verbose", &settings.verbose}, {"backup", &settings.backup}};

static void set_by_name(const char *name, int value) {
    for (int i = 0; i < 2; i++)
        if (!strcmp(table[i].name, name))
            *(int *)table[i].place = value;
}

int set_by_a_table_bad(size_t size) {
    char *text = malloc(size); //~ memory-leak "`text`"
    if (!text)
        return -1;
    settings.verbose = 0;
    if (settings.backup)
        return 1;
    free(text);
    return 0;
}

int main(int argc, char **argv) {
    set_by_name(argv[1], argc);
    return 0;
}
