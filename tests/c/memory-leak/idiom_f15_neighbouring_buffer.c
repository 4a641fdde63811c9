// Writing into a buffer of a struct leaves the pointer field next to it alone.
#include "stubs.h"

struct connection {
    char name[16];
    char *data;
    char tail[8];
};

void copied_into_neighbour_ok(const char *name) {
    struct connection connection;
    connection.data = malloc(32);
    strncpy(connection.name, name, sizeof connection.name - 1);
    connection.name[sizeof connection.name - 1] = '\0';
    puts(connection.name);
    free(connection.data);
}

void neighbours_cleared_ok(void) {
    struct connection connection;
    connection.data = malloc(32);
    memset(connection.name, 0, sizeof connection.name);
    memset(connection.tail, 0, sizeof connection.tail);
    free(connection.data);
}

void neighbour_written_by_index_ok(unsigned int index) {
    struct connection connection = { "", NULL, "" };
    connection.data = malloc(32);
    if (index < sizeof connection.name)
        connection.name[index] = 'x';
    for (int i = 0; i < 8; i++)
        connection.tail[i] = (char)i;
    free(connection.data);
}

struct connection *neighbour_of_heap_struct_ok(const char *name) {
    struct connection *connection = malloc(sizeof *connection);
    if (!connection)
        return NULL;
    connection->data = malloc(32);
    memcpy(connection->tail, "tail", 5);
    snprintf(connection->name, sizeof connection->name, "%s", name);
    return connection;
}

int neighbour_read_from_file_ok(FILE *file) {
    struct connection connection;
    connection.data = malloc(32);
    if (!connection.data)
        return -1;
    if (!fgets(connection.name, sizeof connection.name, file)) {
        free(connection.data);
        return -1;
    }
    free(connection.data);
    return connection.name[0];
}

void whole_struct_cleared_bad(void) {
    struct connection connection;
    connection.data = malloc(32);    //~ memory-leak "connection.data"
    memset(&connection, 0, sizeof connection);
    free(connection.data);
}

void whole_struct_assigned_bad(struct connection *connection) {
    connection->data = malloc(32);    //~ memory-leak "connection->data"
    *connection = (struct connection){ "fresh", NULL, "" };
}

void field_assigned_bad(const char *name) {
    struct connection connection;
    connection.data = malloc(32);    //~ memory-leak "connection.data"
    connection.data = connection.name;
    snprintf(connection.data, sizeof connection.name, "%s", name);
    puts(connection.name);
}
