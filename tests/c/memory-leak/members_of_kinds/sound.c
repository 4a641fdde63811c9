// One kind of structure has a member that the others never fill; each kind has an end of its own.
#include "stubs.h"
#include "format.h"

struct format *sound_open(const char *title) {
    struct format *format = calloc(1, sizeof *format);
    if (format)
        format->title = strdup(title);
    return format;
}

void sound_settings(struct format *format, const char *charset) {
    free(format->charset);
    format->charset = strdup(charset);
}

void sound_close_ok(struct format *format) {
    free(format->charset);
    free(format->title);
    free(format);
}
