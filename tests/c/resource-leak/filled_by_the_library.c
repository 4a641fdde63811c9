// What the library acquires is filled by the library: a run that reads links in it goes on.
#include "stubs.h"

struct address {
    struct address *next;
    char *name;
    int family;
};

int getifaddrs(struct address **list);
void freeifaddrs(struct address *list);

int first_of_family_bad(int family) {
    struct address *list;
    if (getifaddrs(&list) < 0)    //~ resource-leak "list"
        return -1;
    for (struct address *at = list; at; at = at->next)
        if (at->name && at->name[0] == 'e' && at->family == family)
            return 1;
    freeifaddrs(list);
    return 0;
}
