// A function that hands out a block which has grown in a loop hands out something new, however often it has grown and whatever else there is to
// tell of the function. An address that moves through a text is somewhere in that text, however far it has come.
#include "stubs.h"

static char *cache;
static size_t cache_size;
static char *link_text;
static size_t link_size;
static char *note_text;
static size_t note_size;

static void *must(void *p) {
    if (!p)
        abort();
    return p;
}

int next_name(char *into, size_t size);

char **names(const char *dir, int *count) {
    char name[64];
    size_t room = 4;
    int used = 0;
    char **list = must(malloc(room * sizeof *list));
    while (next_name(name, sizeof name)) {
        if (name[0] == '.')
            continue;
        if (strlen(dir) + strlen(name) + 2 > cache_size) {
            cache_size = strlen(dir) + strlen(name) + 64;
            cache = must(realloc(cache, cache_size));
        }
        if (strlen(name) > link_size) {
            link_size = strlen(name) + 64;
            link_text = must(realloc(link_text, link_size));
        }
        if (strlen(name) + 1 > note_size) {
            note_size = strlen(name) + 65;
            note_text = must(realloc(note_text, note_size));
        }
        if ((size_t)used == room - 1) {
            room += 4;
            list = must(realloc(list, room * sizeof *list));
        }
        list[used++] = must(strdup(name));
    }
    *count = used;
    if (used == 0) {
        free(list);
        return NULL;
    }
    list[used] = NULL;
    return list;
}

void names_end(char **list) {
    for (int i = 0; list[i]; i++)
        free(list[i]);
    free(list);
}

int count_ok(const char *dir, int most) {
    int n;
    char **list = names(dir, &n);
    if (!list)
        return -1;
    if (n > most) {
        names_end(list);
        return -2;
    }
    names_end(list);
    return n;
}

int count_bad(const char *dir, int most) {
    int n;
    char **list = names(dir, &n);    //~ memory-leak "list"
    if (!list)
        return -1;
    if (n > most)
        return -2;
    names_end(list);
    return n;
}

static int digit(const char **at) {
    const char *p = *at;
    switch (*p) {
    case 'a': p += 1; break;
    case 'b': p += 2; break;
    case 'c': p += 3; break;
    case 'd': p += 4; break;
    case 'e': p += 5; break;
    case 'f': p += 6; break;
    case 'g': p += 7; break;
    default: return 0;
    }
    *at = p;
    return 1;
}

int parse(const char *text) {
    int n = 0;
    const char *p = text;
    while (*p && digit(&p) && digit(&p) && digit(&p))
        n++;
    return *p ? -1 : n;
}

int parse_copy_ok(const char *text, size_t n) {
    char *copy = malloc(n + 1);
    if (!copy)
        return -1;
    memcpy(copy, text, n);
    copy[n] = 0;
    int found = parse(copy);
    free(copy);
    return found;
}

int parse_copy_bad(const char *text, size_t n) {
    char *copy = malloc(n + 1);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    memcpy(copy, text, n);
    copy[n] = 0;
    int found = parse(copy);
    if (n > 9)
        return -2;
    free(copy);
    return found;
}
