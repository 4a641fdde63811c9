// A number that was allocated as a size, and is positive on all paths of an outcome, is that for callers.
#include "stubs.h"

struct message {
    int length;
    char *text;
};

int receive(int fd, void *buffer, int size);

static int read_message(int fd, struct message *message) {
    int length;
    if (receive(fd, &length, sizeof length) < 0)
        return -1;
    if (length > 0) {
        message->text = malloc(length);
        if (!message->text)
            return -1;
        if (receive(fd, message->text, length) < 0) {
            free(message->text);
            return -1;
        }
    } else
        message->text = NULL;
    message->length = length;
    return 0;
}

int skip_ok(int fd) {
    struct message message;
    int error = read_message(fd, &message);
    if (error == 0 && message.length > 0)
        free(message.text);
    return error;
}

int skip_bad(int fd) {
    struct message message;
    int error = read_message(fd, &message);    //~ memory-leak
    if (error == 0 && message.length > 1)
        free(message.text);
    return error;
}
