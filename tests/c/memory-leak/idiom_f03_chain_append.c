// A new element is hung at the end of a chain by a function in sight.
#include "stubs.h"

struct entry {
    char label[24];
    struct entry *following;
};

struct chain {
    struct entry *first;
    int length, limit;
};

static void append(struct chain *chain, struct entry *entry) {
    struct entry **link = &chain->first;
    while (*link)
        link = &(*link)->following;
    entry->following = NULL;
    *link = entry;
    chain->length++;
}

static int append_limited(struct chain *chain, struct entry *entry) {
    if (chain->length == chain->limit)
        return 1;
    append(chain, entry);
    return 0;
}

static struct entry *last(struct entry *at) {
    while (at->following != NULL)
        at = at->following;
    return at;
}

static struct entry *entry_make(const char *label) {
    struct entry *entry = calloc(1, sizeof(struct entry));
    if (entry)
        strncpy(entry->label, label, sizeof entry->label - 1);
    return entry;
}

int appended_ok(struct chain *chain, const char *label) {
    struct entry *entry = entry_make(label);
    if (!entry)
        return -ENOMEM;
    append(chain, entry);
    return 0;
}

void appended_to_tail_ok(struct chain *chain, const char *label) {
    struct entry *entry = entry_make(label);
    if (entry == NULL)
        return;
    if (chain->first)
        last(chain->first)->following = entry;
    else
        chain->first = entry;
}

int refused_and_freed_ok(struct chain *chain, const char *label) {
    struct entry *entry = entry_make(label);
    if (!entry)
        return -ENOMEM;
    int refused = append_limited(chain, entry);
    if (refused)
        free(entry);
    return refused;
}

int refusal_ignored_bad(struct chain *chain, const char *label) {
    struct entry *entry = entry_make(label);    //~ memory-leak "entry"
    if (!entry)
        return -ENOMEM;
    append_limited(chain, entry);
    return chain->length;
}
