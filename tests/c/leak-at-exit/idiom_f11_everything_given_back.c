//@ flags: --rules all
// Nothing is left at the end on any way out, so the rule has nothing to say.
#include "stubs.h"

static char *program_name;
static char *settings;

static void release_settings(void) {
    free(settings);
    settings = NULL;
}

int main(int argc, char **argv) {
    if (atexit(release_settings) != 0)
        return 1;
    settings = strdup("settings");
    program_name = strdup(argv[0]);
    if (!settings || !program_name) {
        free(program_name);
        return 1;
    }
    char *line = malloc(80);
    if (line) {
        snprintf(line, 80, "%s %s %d", program_name, settings, argc);
        puts(line);
        free(line);
    }
    free(program_name);
    return 0;
}
