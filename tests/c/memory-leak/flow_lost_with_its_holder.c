//@ engines: path flow
// A structure that is lost takes along what it holds: one finding, if it holds more than one thing and all is lost together.
#include "stubs.h"

struct record {
    char *name, *text;
};

int all_lost_bad(const char *name, const char *text, int check) {
    struct record *record = malloc(sizeof *record);    //~ memory-leak
    if (!record)
        return -1;
    record->name = strdup(name);
    record->text = strdup(text);
    if (check)
        return 0;
    free(record->name);
    free(record->text);
    free(record);
    return 1;
}

int contents_lost_bad(const char *name, const char *text, int check) {
    struct record *record = malloc(sizeof *record);
    if (!record)
        return -1;
    record->name = strdup(name);    //~ memory-leak
    record->text = strdup(text);    //~ memory-leak
    if (check) {
        free(record);
        return 0;
    }
    free(record->name);
    free(record->text);
    free(record);
    return 1;
}
