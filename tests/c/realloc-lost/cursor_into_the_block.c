// A cursor leads into the block that realloc is to enlarge. The cursor getting another value is no loss: what is lost is lost where the only
// reference to the block is overwritten.
#include "stubs.h"

struct line {
    char *text;
    size_t room;
};

int doubled_at_mark_bad(struct line *line, size_t more) {
    char *cursor = strchr(line->text, '|');
    int marks = 0;
    while (cursor != NULL) {
        marks++;
        cursor = NULL;
        line->text = realloc(line->text, line->room + more);    //~ realloc-lost "line->text"
        //~^ note "overwrite"
        if (line->text == NULL)
            return -1;
        line->room += more;
        cursor = strchr(line->text, '|');
    }
    return marks;
}

int doubled_at_mark_ok(struct line *line, size_t more) {
    char *cursor = strchr(line->text, '|');
    int marks = 0;
    while (cursor != NULL) {
        char *larger = realloc(line->text, line->room + more);
        if (larger == NULL)
            return -1;
        marks++;
        line->text = larger;
        line->room += more;
        cursor = strchr(line->text, '|');
    }
    return marks;
}
