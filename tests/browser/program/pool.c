#include "pool.h"

/* Takes memory for an entry and its name. */
struct entry *entry_new(const char *name)
{
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->name = strdup(name);
    if (entry->name == NULL)
        return NULL; /* the entry is lost */
    entry->next = NULL;
    return entry;
}

void entry_free(struct entry *entry)
{
    if (entry == NULL)
        return;
    free(entry->name);
    free(entry);
}
