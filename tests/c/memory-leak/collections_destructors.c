// Destructors of collections that leave out what each element holds; told in the destructor, once, whoever calls it.
#include "stubs.h"

struct note { char *title, *body; struct note *after; };
static struct note *notes;

int note_add(const char *title, const char *body) {
    struct note *note = calloc(1, sizeof *note);
    if (!note)
        return -1;
    note->title = strdup(title);
    note->body = strdup(body);
    note->after = notes;
    notes = note;
    return 0;
}

static void notes_all_ok(struct note *note) {
    struct note *after;
    for (; note; note = after) {
        after = note->after;
        free(note->title);
        free(note->body);
        free(note);
    }
}

static void notes_by_do_bad(struct note *note) {
    if (!note)
        return;
    do {
        struct note *after = note->after;
        free(note->title);
        free(note);    //~ memory-leak "note->body"
        note = after;
    } while (note);
}

static void notes_by_recursion_bad(struct note *note) {
    if (!note)
        return;
    notes_by_recursion_bad(note->after);
    free(note->body);
    free(note);    //~ memory-leak "note->title"
}

static void note_end(struct note *note) {
    free(note->title);
    free(note->body);
    free(note);
}

static void notes_by_helper_ok(struct note *note) {
    while (note) {
        struct note *dead = note;
        note = note->after;
        note_end(dead);
    }
}

void forget_one(void) { notes_by_do_bad(notes); notes = NULL; }
void forget_two(void) { notes_by_recursion_bad(notes); notes = NULL; }
void forget_three(void) { notes_by_helper_ok(notes); notes = NULL; }
void forget_all(void) { notes_all_ok(notes); notes = NULL; }

// The head stands in a structure.
struct page { struct page *next; char *text; };
struct book { struct page *pages; int count; };

int page_add(struct book *book, const char *text) {
    struct page *page = malloc(sizeof *page);
    if (!page)
        return 0;
    page->text = strdup(text);
    page->next = book->pages;
    book->pages = page;
    book->count++;
    return 1;
}

void book_close_ok(struct book *book) {
    while (book->pages) {
        struct page *page = book->pages;
        book->pages = page->next;
        free(page->text);
        free(page);
    }
    book->count = 0;
}

void book_burn_bad(struct book *book) {
    struct page *page = book->pages, *next;
    while (page) {
        next = page->next;
        free(page);    //~ memory-leak "page->text"
        page = next;
    }
    book->pages = NULL;
}

// A tree.
struct topic { struct topic *less, *more; char *word; };
static struct topic *topics;

int topic_add(const char *word) {
    struct topic *topic = calloc(1, sizeof *topic);
    if (!topic)
        return 0;
    topic->word = strdup(word);
    topic->less = topics;
    topics = topic;
    return 1;
}

static void topics_all_ok(struct topic *topic) {
    if (!topic)
        return;
    topics_all_ok(topic->less);
    topics_all_ok(topic->more);
    free(topic->word);
    free(topic);
}

static void topics_bad(struct topic *topic) {
    if (!topic)
        return;
    topics_bad(topic->less);
    topics_bad(topic->more);
    free(topic);    //~ memory-leak "topic->word"
}

void forget_topics(void) { topics_all_ok(topics); topics = NULL; }
void drop_topics(void) { topics_bad(topics); topics = NULL; }

// Through the address of the head.
struct bead { char *colour; struct bead *next; };

int bead_add(struct bead **string, const char *colour) {
    struct bead *bead = malloc(sizeof *bead);
    if (!bead)
        return 0;
    bead->colour = strdup(colour);
    bead->next = *string;
    *string = bead;
    return 1;
}

void beads_end_ok(struct bead **string) {
    while (*string) {
        struct bead *bead = *string;
        *string = bead->next;
        free(bead->colour);
        free(bead);
    }
}

void beads_spill_bad(struct bead **string) {
    for (struct bead *bead = *string, *next; bead; bead = next) {
        next = bead->next;
        free(bead);    //~ memory-leak "bead->colour"
    }
    *string = NULL;
}
