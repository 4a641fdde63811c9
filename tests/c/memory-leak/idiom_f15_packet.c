// A buffer and a pointer are neighbours in one struct.
#include "stubs.h"

struct packet {
    unsigned char head[12];
    char *body;
    unsigned char tail[8];
};

int neighbours_written_ok(const unsigned char *from, int n) {
    struct packet packet;
    packet.body = malloc(100);
    if (!packet.body)
        return -1;
    memcpy(packet.head, from, sizeof packet.head);
    memset(packet.tail, 0, sizeof packet.tail);
    for (int i = 0; i < n && i < 12; i++)
        packet.head[i] ^= 1;
    packet.tail[n & 7] = 3;
    free(packet.body);
    return 0;
}

void neighbours_in_parameter_ok(struct packet *packet, const char *text) {
    packet->body = strdup(text);
    snprintf((char *)packet->head, sizeof packet->head, "%s", text);
    strncpy((char *)packet->tail, text, sizeof packet->tail);
}

int whole_struct_cleared_bad(void) {
    struct packet packet;
    packet.body = malloc(100);    //~ memory-leak "packet.body"
    if (!packet.body)
        return -1;
    memset(&packet, 0, sizeof packet);
    free(packet.body);
    return 0;
}

int pointer_copied_over_bad(const struct packet *from) {
    struct packet packet;
    packet.body = malloc(100);    //~ memory-leak "packet.body"
    if (!packet.body)
        return -1;
    packet = *from;
    return packet.head[0];
}
