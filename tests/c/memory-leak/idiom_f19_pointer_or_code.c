// Error codes travel as pointers.
#include "stubs.h"

#define MAX_ERRNO 4095
#define IS_ERR_VALUE(x) __builtin_expect((unsigned long)(void *)(x) >= (unsigned long)-MAX_ERRNO, 0)

static inline void *ERR_PTR(long error) { return (void *)error; }
static inline long PTR_ERR(const void *pointer) { return (long)pointer; }
static inline bool IS_ERR(const void *pointer) { return IS_ERR_VALUE((unsigned long)pointer); }
static inline bool IS_ERR_OR_NULL(const void *pointer) { return !pointer || IS_ERR_VALUE((unsigned long)pointer); }

struct inode {
    unsigned long number;
    char *data;
};

static struct inode *inode_get(unsigned long number) {
    struct inode *inode;
    if (number == 0)
        return ERR_PTR(-EINVAL);
    inode = malloc(sizeof *inode);
    if (!inode)
        return ERR_PTR(-ENOMEM);
    inode->number = number;
    inode->data = NULL;
    return inode;
}

static void inode_put(struct inode *inode) {
    if (IS_ERR_OR_NULL(inode))
        return;
    free(inode->data);
    free(inode);
}

long number_of_ok(unsigned long number) {
    struct inode *inode = inode_get(number);
    if (IS_ERR(inode))
        return PTR_ERR(inode);
    long result = (long)inode->number;
    inode_put(inode);
    return result;
}

int two_of_them_ok(unsigned long first, unsigned long second) {
    struct inode *a = inode_get(first), *b;
    if (IS_ERR(a))
        return (int)PTR_ERR(a);
    b = inode_get(second);
    if (IS_ERR(b)) {
        inode_put(a);
        return (int)PTR_ERR(b);
    }
    inode_put(a);
    inode_put(b);
    return 0;
}

int success_forgets_bad(unsigned long number) {
    struct inode *inode = inode_get(number);    //~ memory-leak "inode"
    if (IS_ERR(inode))
        return (int)PTR_ERR(inode);
    return inode->number > 5;
}

int second_error_forgets_first_bad(unsigned long first, unsigned long second) {
    struct inode *a = inode_get(first);    //~ memory-leak "a"
    if (IS_ERR(a))
        return (int)PTR_ERR(a);
    struct inode *b = inode_get(second);
    if (IS_ERR(b))
        return (int)PTR_ERR(b);
    inode_put(b);
    inode_put(a);
    return 0;
}
