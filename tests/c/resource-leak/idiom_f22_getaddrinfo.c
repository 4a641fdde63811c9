// The address list is handed over through an argument, and only when the result is zero.
#include "stubs.h"

int address_list_ok(const char *host) {
    struct addrinfo *list;
    if (getaddrinfo(host, "80", NULL, &list) != 0)
        return -1;
    int family = list->ai_family;
    freeaddrinfo(list);
    return family;
}

int address_list_walked_ok(const char *host) {
    struct addrinfo hints = { 0 };
    struct addrinfo *list = NULL;
    hints.ai_socktype = SOCK_STREAM;
    int error = getaddrinfo(host, "80", &hints, &list);
    if (error) {
        puts(gai_strerror(error));
        return -1;
    }
    int found = -1;
    for (struct addrinfo *entry = list; entry; entry = entry->ai_next) {
        if (entry->ai_family == AF_INET) {
            found = entry->ai_protocol;
            break;
        }
    }
    freeaddrinfo(list);
    return found;
}

int address_list_bad(const char *host) {
    struct addrinfo *list;
    if (getaddrinfo(host, "80", NULL, &list) != 0)    //~ resource-leak "list"
        return -1;
    if (list->ai_family != AF_INET)
        return -1;
    freeaddrinfo(list);
    return 0;
}

int address_list_found_bad(const char *host) {
    struct addrinfo *list = NULL;
    if (getaddrinfo(host, "80", NULL, &list) != 0)    //~ resource-leak "list"
        return -1;
    for (struct addrinfo *entry = list; entry; entry = entry->ai_next) {
        if (entry->ai_family == AF_INET)
            return entry->ai_protocol;
    }
    freeaddrinfo(list);
    return -1;
}
