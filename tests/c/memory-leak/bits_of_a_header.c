// A constructor writes some bits of a word, and the destructor decides by them. What is known of the bits stays known, in
// new memory of which the rest was never written, through a summary, and after other bytes of the word were written.
#include "stubs.h"

// Bit-fields in new memory; one of them comes from a parameter.
struct head {
    unsigned long mark : 16;
    unsigned long flags : 16;
};

struct item {
    struct head head;
    int value;
};

static void *object_new(int mark, size_t size) {
    struct head *head = malloc(size);
    if (head) {
        head->mark = (unsigned)mark;
        head->flags = 1;
    }
    return head;
}

static void object_free(struct head *head) {
    if (head->mark != 0x1c27)
        return;
    head->mark = 0;
    if (head->flags & 1)
        free(head);
}

static struct item *item_new(int mark, int value) {
    struct item *item = object_new(mark, sizeof *item);
    if (item)
        item->value = value;
    return item;
}

int item_ok(int value) {
    struct item *item = item_new(0x1c27, value);
    if (!item)
        return 0;
    int twice = 2 * item->value;
    object_free(&item->head);
    return twice;
}

// Another mark: the destructor leaves it alone.
int item_bad(int value) {
    struct item *item = item_new(0x712c, value);    //~ memory-leak "`item` leaks: it is never freed"
    if (!item)
        return 0;
    int twice = 2 * item->value;
    object_free(&item->head);
    return twice;
}

// Flags that are added to those of a model, which is the caller's.
enum { SHARED = 1, DYNAMIC = 4 };

struct name {
    unsigned flags;
    char *text;
};

static struct name *name_dup(const struct name *of, unsigned more) {
    struct name *name = malloc(sizeof *name);
    if (!name)
        return NULL;
    name->text = NULL;
    name->flags = of->flags | more;
    return name;
}

static void name_free(struct name *name) {
    if (name->flags & DYNAMIC)
        free(name);
}

static struct name *name_copy(const struct name *of) {
    struct name *name = malloc(sizeof *name);
    if (!name)
        return NULL;
    name->text = NULL;
    name->flags = of->flags | DYNAMIC;
    return name;
}

int name_ok(const struct name *of) {
    struct name *name = name_copy(of);
    if (!name)
        return -1;
    name_free(name);
    return 0;
}

int name_bad(void) {
    struct name fixed = {0, NULL};
    struct name *name = name_dup(&fixed, SHARED);    //~ memory-leak "`name`"
    if (!name)
        return -1;
    name_free(name);
    return 0;
}

// One byte of a word is written by itself; the others are as they were.
union word {
    unsigned whole;
    unsigned char bytes[4];
};

struct tagged {
    union word word;
};

static struct tagged *tagged_new(unsigned word, unsigned char low) {
    struct tagged *tagged = malloc(sizeof *tagged);
    if (!tagged)
        return NULL;
    tagged->word.whole = word;
    tagged->word.bytes[0] = low;
    return tagged;
}

static void tagged_free(struct tagged *tagged) {
    if (tagged->word.whole & 0x100)
        free(tagged);
}

void tagged_ok(unsigned char low) {
    struct tagged *tagged = tagged_new(0x300, low);
    if (tagged)
        tagged_free(tagged);
}

void tagged_bad(unsigned char low) {
    struct tagged *tagged = tagged_new(0x200, low);    //~ memory-leak "`tagged` leaks: it is never freed"
    if (tagged)
        tagged_free(tagged);
}
