// Objects with a count of references, shown to code out of sight. Whoever else refers to one has raised the count and lowers it again,
// so the count is what this code made of it.
#include "stubs.h"

struct session {
    char name[16];
    struct { int users; } state;
    unsigned long sent;
};

int talk(struct session *session);
int listen_to(struct session *session, int seconds);

static struct session *session_open(void) {
    struct session *session = calloc(1, sizeof *session);
    if (session)
        session->state.users = 1;
    return session;
}

static struct session *session_share(struct session *session) {
    session->state.users += 1;
    return session;
}

static void session_end(struct session *session) {
    session->name[0] = 0;
    free(session);
}

static void session_leave(struct session *session) {
    session->state.users -= 1;
    if (session->state.users == 0)
        session_end(session);
}

int left_once_bad(void) {
    struct session *session = session_open();    //~ memory-leak "session"
    if (!session)
        return -1;
    struct session *shared = session_share(session);
    if (talk(shared) < 0) {
        session_leave(session);
        return -1;
    }
    session_leave(shared);
    session_leave(session);
    return 0;
}

int left_twice_ok(void) {
    struct session *session = session_open();
    if (!session)
        return -1;
    struct session *shared = session_share(session);
    int result = talk(shared);
    session_leave(shared);
    result += listen_to(session, result);
    session_leave(session);
    return result;
}

// Atomic, through a function that lowers any number.
struct page {
    void *memory;
    int references;
};

int draw(struct page *page);

static int lower(int *number) { return __sync_sub_and_fetch(number, 1); }

static struct page *page_new(void) {
    struct page *page = malloc(sizeof *page);
    if (!page)
        return NULL;
    page->memory = NULL;
    page->references = 1;
    return page;
}

static void page_drop(struct page *page) {
    if (lower(&page->references) == 0)
        free(page);
}

int drawn_ok(void) {
    struct page *page = page_new();
    if (!page)
        return -1;
    int result = draw(page);
    page_drop(page);
    return result;
}

int drawn_twice_bad(void) {
    struct page *page = page_new();    //~ memory-leak "page"
    if (!page)
        return -1;
    __sync_fetch_and_add(&page->references, 1);
    if (draw(page) < 0) {
        page_drop(page);
        return -1;
    }
    page_drop(page);
    int result = draw(page);
    page_drop(page);
    return result;
}
