// Bytes are written into an array that lies beside a pointer.
#include "stubs.h"

struct message { char head[8]; char *body; char tail[8]; };

void written_beside_ok(struct message *message, const char *text) {
    message->body = strdup(text);
    for (int i = 0; i < 8; i++)
        message->head[i] = message->tail[7 - i] = (char)i;
    memset(message->tail, 0, sizeof message->tail);
}

void local_message_ok(const char *text) {
    struct message message = { .body = strdup(text) };
    memset(message.head, 'x', sizeof message.head);
    strncpy(message.tail, text, sizeof message.tail);
    free(message.body);
}

void cleared_as_a_whole_bad(const char *text) {
    struct message message = { .body = strdup(text) };    //~ memory-leak "message.body"
    memset(&message, 0, sizeof message);
    free(message.body);
}
