// Arrays of addresses that are released without what their elements hold, which another function of the program releases.
#include "stubs.h"

struct names { char **at; int count; };

int names_add(struct names *names, const char *name) {
    char **at = realloc(names->at, (names->count + 1) * sizeof *at);
    if (!at)
        return -1;
    names->at = at;
    at[names->count] = strdup(name);
    if (!at[names->count])
        return -1;
    names->count++;
    return 0;
}

void names_end_ok(struct names *names) {
    for (int i = 0; i < names->count; i++)
        free(names->at[i]);
    free(names->at);
    names->at = NULL;
    names->count = 0;
}

void names_reset_bad(struct names *names) {
    free(names->at);    //~ memory-leak "names->at[i]"
    names->at = NULL;
    names->count = 0;
}

// The elements go to another array.
int names_double_ok(struct names *names) {
    char **at = malloc(2 * names->count * sizeof *at);
    if (!at)
        return -1;
    for (int i = 0; i < names->count; i++)
        at[i] = names->at[i];
    free(names->at);
    names->at = at;
    return 0;
}

int names_copied_ok(struct names *names) {
    char **at = malloc(2 * names->count * sizeof *at);
    if (!at)
        return -1;
    memcpy(at, names->at, names->count * sizeof *at);
    free(names->at);
    names->at = at;
    return 0;
}

// The caller has released them.
static void names_block_ok(struct names *names) {
    free(names->at);
    names->at = NULL;
}

void names_drop_ok(struct names *names) {
    for (int i = 0; i < names->count; i++)
        free(names->at[i]);
    names_block_ok(names);
}

// Ended by NULL, released by a helper, as a member of a member.
static void texts_release(char **texts) {
    for (char **text = texts; *text; text++)
        free(*text);
    free(texts);
}

struct options { char **words; int flags; };
struct command { struct options options; int code; };

int command_words(struct command *command, const char *word) {
    char **words = calloc(2, sizeof *words);
    if (!words)
        return -1;
    words[0] = strdup(word);
    command->options.words = words;
    return 0;
}

void command_end_ok(struct command *command) {
    if (command->options.words)
        texts_release(command->options.words);
    command->options.words = NULL;
}

void command_forget_bad(struct command *command) {
    free(command->options.words);    //~ memory-leak "words[i]"
    command->options.words = NULL;
}

// Structures behind the elements.
struct field { char *name, *type; };
struct form { struct field **fields; int count; };

struct field *field_make(const char *name, const char *type) {
    struct field *field = calloc(1, sizeof *field);
    if (!field)
        return NULL;
    field->name = strdup(name);
    field->type = strdup(type);
    if (!field->name || !field->type) {
        free(field->name);
        free(field->type);
        free(field);
        return NULL;
    }
    return field;
}

// The end of the inner structure leaves out a member.
void field_end_bad(struct field *field) {
    if (!field)
        return;
    free(field->name);
    free(field);    //~ memory-leak "field->type"
}

void form_end_ok(struct form *form) {
    for (int i = 0; i < form->count; i++)
        field_end_bad(form->fields[i]);
    free(form->fields);
    free(form);
}

void form_drop_bad(struct form *form) {
    free(form->fields);    //~ memory-leak "form->fields[i]"
    free(form);
}

// Elements that belong to somebody else are never released.
struct index { struct field **sorted; int count; };

int index_make(struct index *index, struct form *form) {
    index->sorted = calloc(form->count, sizeof *index->sorted);
    if (!index->sorted)
        return -1;
    for (int i = 0; i < form->count; i++)
        index->sorted[i] = form->fields[i];
    index->count = form->count;
    return 0;
}

void index_end_ok(struct index *index) {
    free(index->sorted);
    index->sorted = NULL;
}
