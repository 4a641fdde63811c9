// A loop that only looks for something decides nothing about a resource: what follows it is as certain as what came before.
#include "stubs.h"

struct source { const char *at, *end; int token; char *text; };

static void advance(struct source *s) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
        s->at++;
    if (s->at == s->end)
        s->token = -1;
    else if (*s->at == '"') {
        s->text = strdup(s->at);
        s->token = 257;
    } else if (*s->at == ',') {
        s->at++;
        s->token = ',';
    } else
        s->token = 258;
}

int pair_bad(struct source *s) {
    advance(s);
    if (s->token != 257)
        return -1;
    char *first = s->text;
    char *copy = strdup(first);    //~ memory-leak "copy"
    free(first);
    if (!copy)
        return -1;
    advance(s);
    if (s->token != ',')
        return -1;    //~ note "returns without freeing `copy`"
    free(copy);
    return 0;
}

int pair_ok(struct source *s) {
    advance(s);
    if (s->token != 257)
        return -1;
    char *first = s->text;
    char *copy = strdup(first);
    free(first);
    if (!copy)
        return -1;
    advance(s);
    int token = s->token;
    free(copy);
    return token == ',' ? 0 : -1;
}

static int kind_of(const char *line, int *where) {
    int i = 0;
    while (line[i] && line[i] != ':')
        i++;
    *where = i;
    if (!line[i])
        return 0;
    return line[i + 1] == ':' ? 2 : 1;
}

int header_bad(const char *line) {
    int where;
    char *copy = strdup(line);    //~ memory-leak "copy"
    if (!copy)
        return -1;
    int kind = kind_of(line, &where);
    if (kind == 2)
        return -2;    //~ note "returns without freeing `copy`"
    free(copy);
    return kind;
}

int header_ok(const char *line) {
    int where;
    int kind = kind_of(line, &where);
    char *copy = kind == 2 ? NULL : strdup(line);
    if (!copy)
        return -1;
    int length = where + (int)strlen(copy);
    free(copy);
    return length;
}

static const char *skip_spaces(const char *p) {
    while (isspace(*p))
        p++;
    return p;
}

int assignment_bad(const char *line) {
    const char *p = skip_spaces(line);
    char *name = strndup(p, 8);    //~ memory-leak "name"
    if (!name)
        return -1;
    p = skip_spaces(p + 8);
    if (*p != '=')
        return -1;    //~ note "returns without freeing `name`"
    free(name);
    return 0;
}

int assignment_ok(const char *line) {
    const char *p = skip_spaces(line);
    char *name = strndup(p, 8);
    if (!name)
        return -1;
    p = skip_spaces(p + 8);
    if (*p != '=')
        goto out;
    puts(name);
out:
    free(name);
    return 0;
}
