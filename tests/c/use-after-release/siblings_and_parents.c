// Nodes that lead to what stands beside them, and to their parent. What stands beside has the same parent, so the
// parent is none of the nodes that were released before.
#include "stubs.h"

struct entry {
    struct entry *parent;
    struct entry *link;
    int level;
};

void all_released_ok(struct entry *entry) {
    struct entry *gone;
    while (entry->level >= 0) {
        gone = entry;
        entry = entry->link ? entry->link : entry->parent;
        free(gone);
    }
    free(entry);
}

void one_too_early_bad(struct entry *entry) {
    while (entry->level >= 0) {
        struct entry *gone = entry;
        free(gone);
        entry = gone->link; //~ use-after-release
    }
}
