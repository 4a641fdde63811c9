// A structure that is zeroed and then given to a function that is not known may hold anything afterwards.
#include "stubs.h"

struct reply {
    char *name;
    int count;
    struct {
        long size;
        int flags;
    } detail;
};

int ask(struct reply *reply);
void fill(void *where, size_t size);

int by_initialiser_bad(void) {
    struct reply reply = {0};
    ask(&reply);
    if (reply.detail.flags) {
        char *text = malloc(10);    //~ memory-leak "text"
        return text != NULL;
    }
    return 0;
}

int by_memset_bad(void) {
    struct reply reply;
    memset(&reply, 0, sizeof reply);
    fill(&reply, sizeof reply);
    char *text = malloc(10);    //~ memory-leak "text"
    if (!text)
        return -1;
    if (reply.count > 3)
        return -1;
    free(text);
    return 0;
}

int by_calloc_bad(void) {
    struct reply *reply = calloc(1, sizeof *reply);
    if (!reply)
        return -1;
    fill(reply, sizeof *reply);
    char *text = malloc(10);    //~ memory-leak "text"
    long size = reply->detail.size;
    free(reply);
    if (size == 12)
        return 1;
    free(text);
    return 0;
}

int one_by_one_bad(void) {
    struct reply reply;
    reply.count = 0;
    reply.name = NULL;
    ask(&reply);
    if (reply.count == 0)
        return -1;
    char *text = malloc(10);    //~ memory-leak "text"
    return text != NULL;
}

int nobody_fills_it_ok(void) {
    struct reply reply = {0};
    if (reply.detail.flags) {
        char *text = malloc(10);
        return text != NULL;
    }
    return 0;
}

int released_in_the_same_cases_ok(void) {
    struct reply reply = {0};
    ask(&reply);
    char *text = reply.count ? malloc(10) : NULL;
    if (reply.count)
        free(text);
    return 0;
}
