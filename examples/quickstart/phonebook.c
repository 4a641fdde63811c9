#include "phonebook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry *entry_parse(const char *line)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL)
        return NULL;

    const char *colon = strchr(line, ':');
    if (colon == NULL)
        return NULL;

    entry->name = strndup(line, (size_t)(colon - line));
    entry->number = strdup(colon + 1 + strspn(colon + 1, " "));
    if (entry->name == NULL || entry->number == NULL) {
        entry_free(entry);
        return NULL;
    }
    return entry;
}

void entry_free(struct entry *entry)
{
    free(entry->name);
    free(entry->number);
    free(entry);
}

int book_load(struct entry **book, const char *path)
{
    char line[256];
    int count = 0;

    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        struct entry *entry = entry_parse(line);
        if (entry == NULL) {
            fprintf(stderr, "%s: not an entry: %s\n", path, line);
            return -1;
        }
        entry->next = *book;
        *book = entry;
        count++;
    }
    fclose(file);
    return count;
}

void book_free(struct entry *book)
{
    while (book != NULL) {
        struct entry *next = book->next;
        entry_free(book);
        book = next;
    }
}
