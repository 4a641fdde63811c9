#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *name;
    struct entry *next;
};

struct entry *entry_new(const char *name);
void entry_free(struct entry *entry);
