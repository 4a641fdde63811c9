// A loss that needs a number or a character which only a callee asks for: a run finds it by what the callee compares. Beside it
// the same with a second block that the same call acquires and releases.
#include "stubs.h"

struct packet {
    const unsigned char *data;
    unsigned size;
    unsigned at;
};

struct entry {
    char *name;
    char *note;
};

static int take(struct packet *packet, unsigned *number) {
    if (packet->at + 2 > packet->size)
        return 1;
    *number = packet->data[packet->at] * 256u + packet->data[packet->at + 1];
    packet->at += 2;
    return 0;
}

static int read_entry(struct packet *packet, struct entry *entry) {
    unsigned kind = 0;
    entry->name = NULL;
    entry->note = NULL;
    if (take(packet, &kind))
        return 1;
    entry->name = malloc(16);
    if (!entry->name)
        return 1;
    if (kind == 0x2307) {
        entry->note = malloc(16);
        if (!entry->note) {
            free(entry->name);
            return 1;
        }
    }
    return 0;
}

int skipped_bad(struct packet *packet) {
    struct entry entry;
    if (read_entry(packet, &entry))    //~ memory-leak "entry.note"
        return -1;
    free(entry.name);
    return 0;
}

static int is_comment(const struct packet *packet) {
    return packet->size > 3 && packet->data[0] == '#';
}

int comment_bad(struct packet *packet) {
    char *line = malloc(16);    //~ memory-leak "line"
    if (!line)
        return -1;
    if (is_comment(packet))
        return 1;
    free(line);
    return 0;
}

int skipped_ok(struct packet *packet) {
    struct entry entry;
    if (read_entry(packet, &entry))
        return -1;
    free(entry.name);
    free(entry.note);
    return 0;
}
