// Much is done before something is acquired, more than a close look has time for. What is acquired then and forgotten has
// nothing to do with how the work before it ended.
#include "stubs.h"

struct report { char *text; size_t used, room; int lines, errors, width; };

static int report_room(struct report *r, size_t more) {
    size_t room = r->room ? r->room : 32;
    char *larger;
    if (r->used + more < r->room)
        return 0;
    while (room <= r->used + more)
        room += room / 2;
    larger = realloc(r->text, room);
    if (!larger) {
        free(r->text);
        r->text = NULL;
        r->used = r->room = 0;
        r->errors++;
        return -1;
    }
    r->text = larger;
    r->room = room;
    return 0;
}

void tell(int lines);

static int report_add(struct report *r, const char *name, int value, int wide) {
    char line[64];
    int length;
    if (!name || (wide && value > r->width))
        return 0;
    length = snprintf(line, sizeof line, wide ? "%s: %d\n" : "%s=%d\n", name, value);
    if (length < 0 || report_room(r, (size_t)length) < 0)
        return -1;
    memcpy(r->text + r->used, line, (size_t)length);
    r->used += (size_t)length;
    r->lines++;
    if (r->lines % 4 == 0)
        tell(r->lines);
    return 1;
}

#define LINE(field) if (report_add(r, #field, values[__COUNTER__], wide) < 0) goto failed;
#define LINES LINE(a) LINE(b) LINE(c) LINE(d) LINE(e) LINE(f) LINE(g) LINE(h) LINE(i) LINE(j) LINE(k) LINE(l)

int report_saved_bad(struct report *r, const int *values, int wide, const char *path) {
    FILE *out;
    LINES
    out = fopen(path, "w");                              //~ resource-leak "`out`"
    if (!out)
        return -1;
    if (fwrite(r->text, 1, r->used, out) != r->used)
        return -1;
    return fclose(out);
failed:
    return -2;
}

int report_saved_ok(struct report *r, const int *values, int wide, const char *path) {
    FILE *out;
    LINES
    out = fopen(path, "w");
    if (!out)
        return -1;
    if (fwrite(r->text, 1, r->used, out) != r->used) {
        fclose(out);
        return -1;
    }
    return fclose(out);
failed:
    return -2;
}
