#include "phonebook.h"

#include <stdio.h>

// What is in the book when no file is named.
static const char *const builtin[] = {"fire brigade: 112", "speaking clock", "directory: 11880"};

int main(int argc, char **argv)
{
    struct entry *book = NULL;

    for (int i = 1; i < argc; i++) {
        if (book_load(&book, argv[i]) < 0)
            fprintf(stderr, "%s: left out\n", argv[i]);
    }
    for (unsigned i = 0; argc == 1 && i < sizeof builtin / sizeof *builtin; i++) {
        struct entry *entry = entry_parse(builtin[i]);
        if (entry == NULL)
            continue;
        entry->next = book;
        book = entry;
    }
    for (struct entry *entry = book; entry != NULL; entry = entry->next)
        printf("%-16s %s\n", entry->name, entry->number);
    book_free(book);
    return 0;
}
