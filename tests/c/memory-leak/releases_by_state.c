// A function that releases, or not, by the state of what it is given, in a way that no test of a single field can say. Who calls
// it with something just made knows that state. Where it fails by chance, the caller has to cope.
#include "stubs.h"

struct part {
    struct part *around;
    size_t begin;
    unsigned flags;
};

struct packet {
    char *room;
    size_t written;
    struct part *parts;
};

extern unsigned mode_of(const char *room);

static int begin(struct packet *packet, char *room) {
    packet->room = room;
    packet->written = 0;
    packet->parts = calloc(1, sizeof *packet->parts);
    if (packet->parts == NULL)
        return 0;
    packet->parts->flags = mode_of(room);
    return 1;
}

// Refuses where nothing was written.
static int finish(struct packet *packet) {
    struct part *part = packet->parts;
    if (packet->written == part->begin)
        return 0;
    free(part);
    packet->parts = NULL;
    return 1;
}

int encode_ok(char *room, const char *text, size_t length) {
    struct packet packet;
    if (length == 0 || !begin(&packet, room))
        return 0;
    memcpy(room, text, length);
    packet.written += length;
    finish(&packet);
    return 1;
}

// Writing may fail whatever was written.
static int send_off(struct packet *packet, int to) {
    if (write(to, packet->room, packet->written) < 0)
        return 0;
    free(packet->parts);
    packet->parts = NULL;
    return 1;
}

int encode_and_send_bad(char *room, int to) {
    struct packet packet;
    if (!begin(&packet, room))    //~ memory-leak "packet.parts"
        return 0;
    return send_off(&packet, to);
}
