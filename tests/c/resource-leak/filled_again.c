// A variable or member that holds a stream or a descriptor and gets another one, which others close first.
#include "stubs.h"

static FILE *journal;

int journal_change_ok(const char *path) {
    if (journal)
        fclose(journal);
    journal = fopen(path, "a");
    return journal ? 0 : -1;
}

int journal_again_bad(const char *path) {
    journal = fopen(path, "a");    //~ resource-leak "`journal`"
    return journal ? 0 : -1;
}

struct writer { FILE *out; char *name; int lines; };

void writer_turn_ok(struct writer *writer, const char *path) {
    if (writer->out)
        fclose(writer->out);
    writer->out = fopen(path, "w");
    writer->lines = 0;
}

int writer_start_bad(struct writer *writer, const char *path) {
    if (writer->lines > 100)
        return -1;
    writer->out = fopen(path, "w");    //~ resource-leak "writer->out"
    return writer->out ? 0 : -1;
}

int writer_open_ok(struct writer *writer, const char *path) {
    if (writer->out)
        return 0;
    writer->out = fopen(path, "w");
    return writer->out ? 0 : -1;
}
