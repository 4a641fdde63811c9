// A library function that fills a text inside a structure changes nothing behind the text. Modes are one of the names of their type.
#include "stubs.h"

struct context {
    int error;
    char message[128];
    int fd;
    char *host;
};

static void set_error(struct context *context, int error, const char *text) {
    size_t length = strlen(text);
    context->error = error;
    length = length < sizeof context->message - 1 ? length : sizeof context->message - 1;
    memcpy(context->message, text, length);
    context->message[length] = 0;
}

static void set_error_of_system(struct context *context, const char *prefix) {
    char text[128] = {0};
    snprintf(text, sizeof text, "%s: %d", prefix, errno);
    set_error(context, 1, text);
}

static void close_it(struct context *context) {
    if (context && context->fd >= 0) {
        close(context->fd);
        context->fd = -1;
    }
}

static int check(struct context *context) {
    if (lseek(context->fd, 0, 0) < 0) {
        set_error_of_system(context, "lseek");
        close_it(context);
        return -1;
    }
    return 0;
}

static int check_and_keep(struct context *context) {
    if (lseek(context->fd, 0, 0) < 0) {
        set_error_of_system(context, "lseek");
        context->fd = -1;
        return -1;
    }
    return 0;
}

int closed_after_message_ok(struct context *context, const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    context->fd = fd;
    return check(context);
}

int lost_after_message_bad(struct context *context, const char *path) {
    int fd = open(path, O_RDONLY); //~ resource-leak
    if (fd < 0)
        return -1;
    context->fd = fd;
    return check_and_keep(context);
}

enum mode { SHOW, HIDE_PART, HIDE };

char *with_mode_ok(const char *text, enum mode mode) {
    char *quoted = 0;
    if (mode != HIDE) {
        if (mode == HIDE_PART)
            quoted = (char *)"***";
        else
            quoted = strdup(text);
    }
    char *result = malloc(100);
    if (result && quoted)
        snprintf(result, 100, "%s", quoted);
    if (mode == SHOW)
        free(quoted);
    return result;
}

char *with_flags_bad(const char *text, int mode) {
    char *quoted = 0;
    if (mode != HIDE) {
        if (mode == HIDE_PART)
            quoted = (char *)"***";
        else
            quoted = strdup(text); //~ memory-leak
    }
    char *result = malloc(100);
    if (result && quoted)
        snprintf(result, 100, "%s", quoted);
    if (mode == SHOW)
        free(quoted);
    return result;
}
