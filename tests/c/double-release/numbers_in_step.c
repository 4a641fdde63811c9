// One of two things is in the same place, and numbers beside it say which: they are kept in step.
#include "stubs.h"

struct node {
    union {
        char *name;
        int *addresses;
    } u;
    unsigned short name_length, addresses;
};

void one_of_two_ok(struct node *node) {
    if (node->name_length)
        free(node->u.name);
    if (node->addresses > 1)
        free(node->u.addresses);
    free(node);
}

void both_bad(struct node *node) {
    free(node->u.name);
    if (node->addresses > 1)
        free(node->u.addresses); //~ double-release
    free(node);
}

void same_number_bad(struct node *node) {
    if (node->addresses)
        free(node->u.name);
    if (node->addresses > 1)
        free(node->u.addresses); //~ double-release
    free(node);
}
