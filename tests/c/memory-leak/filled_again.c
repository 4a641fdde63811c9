// Members and variables that own what they hold and are filled again: others release what is there first, or it stays there until the structure ends.
#include "stubs.h"

// Variables of the program, which one function replaces as it should.
static char *motto;

void motto_set_ok(const char *text) {
    free(motto);
    motto = strdup(text);
}

void motto_read_bad(FILE *from) {
    char line[80];
    if (!fgets(line, sizeof line, from))
        return;
    motto = strdup(line);    //~ memory-leak "`motto`"
}

// Released on the other path, which says nothing of this one.
void motto_change_bad(const char *text) {
    if (!text) {
        free(motto);
        motto = NULL;
        return;
    }
    if (motto && strcmp(motto, text) == 0)
        return;
    motto = strdup(text);    //~ memory-leak "`motto`"
}

// Known to be empty.
void motto_default_ok(void) {
    if (!motto)
        motto = strdup("none");
}

// The old one goes elsewhere.
char *motto_swap_ok(const char *text) {
    char *old = motto;
    motto = strdup(text);
    return old;
}

// Filled and emptied by turns, by functions of their own.
static FILE *report;

void report_change_ok(const char *path) {
    if (report)
        fclose(report);
    report = fopen(path, "w");
}

void report_begin_ok(const char *path) { report = fopen(path, "w"); }

void report_end_ok(void) {
    if (report)
        fclose(report);
    report = NULL;
}

// Another variable says whether there is one.
static char *room;
static int room_size;

void room_replace_ok(int size) {
    free(room);
    room = malloc(size);
    room_size = size;
}

char *room_get_ok(void) {
    if (room_size == 0) {
        room = malloc(64);
        if (!room)
            return NULL;
        room_size = 64;
    }
    return room;
}

// By a macro that releases first, and beside it.
#define REPLACE(place, value) do { free(place); (place) = (value); } while (0)

struct site { char *host, *path, *query; int port; };

void site_host_ok(struct site *site, const char *host) { REPLACE(site->host, strdup(host)); }

void site_parse_bad(struct site *site, const char *host) {
    if (site->port == 0)
        return;
    site->host = strdup(host);    //~ memory-leak "site->host"
}

// By a function that releases first.
static void set_text(char **place, const char *text) {
    free(*place);
    *place = strdup(text);
}

void site_path_ok(struct site *site, const char *path) { set_text(&site->path, path); }

void site_reset_bad(struct site *site) {
    site->path = strdup("/");    //~ memory-leak "site->path"
}

// Nobody but the end of the structure releases it: what is set twice before is lost.
struct person { char *name, *mail, *phone; int age; };

struct person *person_make(void) { return calloc(1, sizeof(struct person)); }

void person_end_ok(struct person *person) {
    if (!person)
        return;
    free(person->name);
    free(person->mail);
    free(person->phone);
    free(person);
}

int person_name_ok(struct person *person, const char *name) {
    char *copy = strdup(name);
    if (!copy)
        return -1;
    free(person->name);
    person->name = copy;
    return 0;
}

int person_mail_bad(struct person *person, const char *mail) {
    char *copy = strdup(mail);
    if (!copy)
        return -1;
    person->mail = copy;    //~ memory-leak "person->mail"
    return 0;
}

// Only for structures that were just made.
static int person_fill_ok(struct person *person, const char *phone) {
    person->phone = strdup(phone);
    return person->phone ? 0 : -1;
}

struct person *person_copy_ok(const char *phone) {
    struct person *person = person_make();
    if (person && person_fill_ok(person, phone) < 0) {
        person_end_ok(person);
        return NULL;
    }
    return person;
}

// One that sets most of a structure gives it its first contents.
struct slot { char *key; int length; int hash; };

void slot_init_ok(struct slot *slot, const char *key) {
    slot->key = strdup(key);
    slot->length = (int)strlen(key);
    slot->hash = 0;
}

void slot_change_ok(struct slot *slot, const char *key) {
    free(slot->key);
    slot->key = strdup(key);
}

// Begun and ended by turns: who ends it leaves nothing.
struct job { char *text; int running; };

int job_begin_ok(struct job *job, const char *text) {
    job->text = strdup(text);
    return job->text != NULL;
}

void job_stop_ok(struct job *job) {
    free(job->text);
    job->text = NULL;
}

// Callers release what was there.
struct view { char *title; int width; int height; };

static void view_write_ok(struct view *view, const char *title) {
    view->title = strdup(title);
}

void view_title_ok(struct view *view, const char *title) {
    free(view->title);
    view_write_ok(view, title);
}

// Callers have looked.
struct cache { char *data; int hits; int misses; };

static void cache_load_ok(struct cache *cache) {
    cache->data = malloc(100);
}

char *cache_get_ok(struct cache *cache) {
    if (!cache->data)
        cache_load_ok(cache);
    return cache->data;
}

void cache_change_ok(struct cache *cache, const char *data) {
    free(cache->data);
    cache->data = strdup(data);
}

// Moved to a place that has room, which is no end of what it holds.
struct buffer { char *data; int used; int room; };

int buffer_grow_ok(struct buffer *buffer) {
    char *data = realloc(buffer->data, buffer->room * 2);
    if (!data)
        return -1;
    buffer->data = data;
    buffer->room *= 2;
    return 0;
}

int buffer_open_ok(struct buffer *buffer) {
    buffer->data = malloc(16);
    return buffer->data != NULL;
}

void buffer_close_ok(struct buffer *buffer) {
    free(buffer->data);
    buffer->data = NULL;
}
