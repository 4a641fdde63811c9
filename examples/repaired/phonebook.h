// A phone book: lines of "name: number" in a file, kept in a list.
#ifndef PHONEBOOK_H
#define PHONEBOOK_H

struct entry {
    struct entry *next;
    char *name;
    char *number;
};

// The entry that a line describes, or NULL if the line is not "name: number". The caller owns it.
struct entry *entry_parse(const char *line);
void entry_free(struct entry *entry);

// Adds the entries of a file in front of the list. Returns how many, or -1 if the file cannot be used.
int book_load(struct entry **book, const char *path);
void book_free(struct entry *book);

#endif
