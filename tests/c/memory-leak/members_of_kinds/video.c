// The other kind.
#include "stubs.h"
#include "format.h"

struct format *video_open(const char *title) {
    struct format *format = calloc(1, sizeof *format);
    if (format)
        format->title = strdup(title);
    return format;
}

void video_close_ok(struct format *format) {
    free(format->title);
    free(format);
}
