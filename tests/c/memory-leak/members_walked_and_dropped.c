// Members whose contents a function walks through, and then drops: what lies behind them is released, or only looked at, and they are not.
#include "stubs.h"

struct entry { struct entry *chain; char *key; };
struct table { struct entry **bucket; size_t size; };

struct table *table_new(size_t size) {
    struct table *table = malloc(sizeof *table);
    if (!table)
        return NULL;
    table->bucket = calloc(size, sizeof *table->bucket);
    if (!table->bucket) {
        free(table);
        return NULL;
    }
    table->size = size;
    return table;
}

int table_add(struct table *table, const char *key) {
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return -1;
    entry->key = strdup(key);
    if (!entry->key) {
        free(entry);
        return -1;
    }
    size_t at = (unsigned char)key[0] % table->size;
    entry->chain = table->bucket[at];
    table->bucket[at] = entry;
    return 0;
}

void table_end_bad(struct table *table) {
    for (size_t i = 0; i < table->size; i++) {
        struct entry *entry = table->bucket[i];
        while (entry) {
            struct entry *chain = entry->chain;
            free(entry->key);
            free(entry);
            entry = chain;
        }
    }
    free(table);    //~ memory-leak "table->bucket"
}

struct cell { char *text; };
struct row { struct cell *cells; int count; };
struct grid { struct row *rows; int count; };

int grid_add(struct grid *grid, int count) {
    struct row *rows = realloc(grid->rows, (size_t)(grid->count + 1) * sizeof *rows);
    if (!rows)
        return -1;
    grid->rows = rows;
    rows[grid->count].count = count;
    rows[grid->count].cells = calloc((size_t)count, sizeof(struct cell));
    if (!rows[grid->count].cells)
        return -1;
    grid->count++;
    return 0;
}

void grid_end_ok(struct grid *grid) {
    for (int i = 0; i < grid->count; i++)
        free(grid->rows[i].cells);
    free(grid->rows);
    grid->rows = NULL;
    grid->count = 0;
}

void grid_end_bad(struct grid *grid) {
    for (int i = 0; i < grid->count; i++)
        free(grid->rows[i].cells);
    grid->rows = NULL;    //~ miss(path) memory-leak "grid->rows": a loop that reads the elements does not say that the member holds them
    grid->count = 0;
}

struct view { int left, right; struct view *after; };
struct canvas { int left, right; struct view *views; };

int canvas_show(struct canvas *canvas) {
    struct view *view = malloc(sizeof *view);
    if (!view)
        return -1;
    view->left = canvas->left;
    view->right = canvas->right;
    view->after = canvas->views;
    canvas->views = view;
    return 0;
}

void canvas_hide_ok(struct canvas *canvas) {
    struct view *view, *after;
    for (view = canvas->views; view; view = after) {
        after = view->after;
        free(view);
    }
    canvas->views = NULL;
}

void canvas_hide_bad(struct canvas *canvas) {
    struct view *view;
    for (view = canvas->views; view; view = view->after)
        view->left = view->right = 0;
    canvas->views = NULL;    //~ miss(path) memory-leak "canvas->views": a loop that follows the links does not say that the member holds them
}

// No function ever releases the bytes of a line.
struct line { unsigned char *bytes; size_t size; struct line *after; };
struct lines { struct line *first; };

int lines_add(struct lines *lines, const void *bytes, size_t size) {
    struct line *line = malloc(sizeof *line);
    if (!line)
        return -1;
    line->bytes = malloc(size);
    if (!line->bytes) {
        free(line);
        return -1;
    }
    memcpy(line->bytes, bytes, size);
    line->size = size;
    line->after = lines->first;
    lines->first = line;
    return 0;
}

static void line_free_bad(struct line *line) {
    free(line);    //~ memory-leak "line->bytes"
}

void lines_end(struct lines *lines) {
    while (lines->first) {
        struct line *line = lines->first;
        lines->first = line->after;
        line_free_bad(line);
    }
}

// A list that grows through the address of the member: what was there is behind the new node.
struct route { struct route *after; char *from; };
struct config { struct route *routes; char *name, *mail; };

static void note(const char *what, const char *of) {
    if (what && of)
        puts(of);
}

void route_add(struct route **routes, const char *from, int quiet) {
    struct route *route;
    if (!from || from[0] != '/') {
        if (!quiet)
            note("refused", from);
        return;
    }
    route = malloc(sizeof *route);
    if (!route)
        return;
    route->from = strdup(from);
    route->after = *routes;
    *routes = route;
    if (!quiet)
        note("added", route->from);
}

static void routes_free(struct route *route) {
    while (route) {
        struct route *after = route->after;
        free(route->from);
        free(route);
        route = after;
    }
}

int config_line(struct config *config, const char *key, const char *value) {
    if (strcmp(key, "route") == 0) {
        route_add(&config->routes, value, 1);
        return 0;
    }
    if (strcmp(key, "name") == 0) {
        free(config->name);
        config->name = strdup(value);
        return 0;
    }
    free(config->mail);
    config->mail = strdup(value);
    return 0;
}

void config_end_ok(struct config *config) {
    free(config->name);
    free(config->mail);
    routes_free(config->routes);
    memset(config, 0, sizeof *config);
}

void config_end_bad(struct config *config) {
    free(config->name);
    free(config->mail);
    memset(config, 0, sizeof *config);    //~ miss(path) memory-leak "config->routes": what a callee puts in front of a chain counts as kept where its summary is coarse
}
