// Destructors of the program's own.
#include "stubs.h"

struct socket_data {
    char *host;
    int port;
};

enum { DESTROY_ALL, DESTROY_SHELL };

static void socket_destroy(struct socket_data **place, int how) {
    struct socket_data *data = *place;
    if (!data)
        return;
    if (how == DESTROY_ALL)
        free(data->host);
    free(data);
    *place = NULL;
}

static void free_unless(void *block, bool borrowed) {
    if (!borrowed)
        free(block);
}

#define DELETE(p) (free(p), (p) = NULL)

// Elsewhere.
void foreign_free(struct socket_data *data);

int destroyed_through_address_ok(const char *host) {
    struct socket_data *data = malloc(sizeof *data);
    if (!data)
        return -1;
    data->port = 80;
    data->host = strdup(host);
    socket_destroy(&data, DESTROY_ALL);
    return data == NULL;
}

char *shell_only_ok(const char *host) {
    struct socket_data *data = malloc(sizeof *data);
    if (!data)
        return NULL;
    char *copy = data->host = strdup(host);
    data->port = 1;
    socket_destroy(&data, DESTROY_SHELL);
    return copy;
}

int flag_says_owned_ok(const char *host) {
    char *copy = strdup(host);
    if (copy)
        puts(copy);
    free_unless(copy, false);
    return 0;
}

int macro_deletes_ok(const char *host) {
    char *copy = strdup(host);
    DELETE(copy);
    return copy == NULL;
}

int foreign_ok(const char *host) {
    struct socket_data *data = calloc(1, sizeof *data);
    if (!data)
        return -1;
    data->host = strdup(host);
    foreign_free(data);
    return 0;
}

int flag_says_borrowed_bad(const char *host) {
    char *copy = strdup(host);    //~ memory-leak "copy"
    if (copy)
        puts(copy);
    free_unless(copy, true);
    return 0;
}

int shell_only_bad(const char *host) {
    struct socket_data *data = malloc(sizeof *data);
    if (!data)
        return -1;
    data->port = 80;
    data->host = strdup(host);    //~ memory-leak
    socket_destroy(&data, DESTROY_SHELL);
    return 0;
}
