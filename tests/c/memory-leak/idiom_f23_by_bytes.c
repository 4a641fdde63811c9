// A pointer is copied as bytes, into a message and out of it again.
#include "stubs.h"

struct packet { unsigned char kind; unsigned char payload[sizeof(void *)]; };

void out_and_in_ok(const char *text) {
    struct packet packet = { .kind = 1 };
    char *copy = strdup(text), *again;
    memcpy(packet.payload, &copy, sizeof copy);
    memmove(&again, packet.payload, sizeof again);
    free(again);
}

void sent_ok(struct packet *packet, const char *text) {
    char *copy = strdup(text);
    packet->kind = 2;
    memcpy(packet->payload, &copy, sizeof copy);
}

int copied_into_local_bad(const char *text) {
    struct packet packet = { .kind = 1 };
    char *copy = strdup(text);    //~ memory-leak
    memcpy(packet.payload, &copy, sizeof copy);
    return packet.kind;
}
