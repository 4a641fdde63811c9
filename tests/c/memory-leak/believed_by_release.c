// Functions that are only declared. What they give belongs to whoever gets it, because this program releases it elsewhere.
#include "stubs.h"

struct page {
    int width, height;
};

char *describe(int number);
struct page *page_of(const char *name);
int measure(const char *text);

// Released in another function; here it is overwritten.
void print_one_ok(int number) {
    char *text = describe(number);
    puts(text);
    free(text);
}

void print_two_bad(int number) {
    char *text = describe(number);    //~ memory-leak "`text`"
    puts(text);
    text = describe(number + 1);
    puts(text);
    free(text);
}

// Through a function of the program that releases its argument.
static void drop(struct page *page) {
    if (page)
        free(page);
}

int area_bad(const char *name) {
    struct page *page = page_of(name);    //~ memory-leak "`page`"
    if (!page)
        return -1;
    if (page->width < 0)
        return -2;
    int area = page->width * page->height;
    drop(page);
    return area;
}

int area_ok(const char *name) {
    struct page *page = page_of(name);
    int area = page ? page->width * page->height : -1;
    drop(page);
    return area;
}

// Through a function of the program that hands it on.
char *spell(int number);

static char *spelled(int number) {
    char *text = spell(number);
    if (!text)
        return NULL;
    return text;
}

int first_letter_ok(int number) {
    char *text = spelled(number);
    int letter = text ? text[0] : 0;
    free(text);
    return letter;
}

int second_letter_bad(int number) {
    char *text = spelled(number);    //~ memory-leak "`text`"
    return text ? text[1] : 0;
}

// What is kept or returned is not lost.
char *caption_ok(int number) {
    return describe(number);
}

struct label {
    char *text;
};

void set_label_ok(struct label *label, int number) {
    label->text = describe(number);
}
