// What a callee does with what it is given, and what nobody can know.
#include "stubs.h"

struct box {
    char *text;
    int length;
    int owned;
};

struct registry {
    struct box *first;
    struct box *second;
};

void unknown(void);
void unknown_box(struct box *box);
int unknown_test(struct box *box);

static int length_of(const struct box *box) { return box->length; }

static int length_or_zero(const struct box *box) {
    if (!box)
        return 0;
    return box->length;
}

static int sometimes_length(const struct box *box, int look) { return look ? box->length : 0; }

static bool same(const struct box *a, const struct box *b) { return a == b; }

static void box_free(struct box *box) {
    if (!box)
        return;
    free(box->text);
    free(box);
}

static void box_clear(struct box *box) {
    free(box->text);
    box->text = NULL;
}

int callee_reads_bad(struct box *box) {
    box_free(box);
    return length_of(box);    //~ use-after-release "box"
}

int callee_reads_if_there_bad(struct box *box) {
    box_free(box);
    return length_or_zero(box);    //~ use-after-release "box"
}

int callee_may_read_ok(struct box *box, int look) {
    box_free(box);
    return sometimes_length(box, look);
}

bool callee_compares_ok(struct box *box, struct box *other) {
    box_free(box);
    return same(box, other);
}

void address_is_printed_ok(struct box *box) {
    box_free(box);
    printf("%p was released\n", (void *)box);
}

void member_is_printed_bad(struct box *box) {
    char *text = box->text;
    box_free(box);
    printf("%d %s\n", 1, text);    //~ use-after-release "text"
}

char member_after_its_owner_bad(struct box *box) {
    free(box);    //~ memory-leak "box->text"
    return box->text[0];    //~ use-after-release "box"
}

char member_was_cleared_ok(struct box *box) {
    box_clear(box);
    return box->text ? box->text[0] : '\0';
}

char member_was_replaced_ok(struct box *box, const char *text) {
    box_clear(box);
    box->text = strdup(text);
    return box->text ? box->text[0] : '\0';
}

char member_may_be_replaced_ok(struct box *box) {
    free(box->text);
    unknown_box(box);
    return box->text[0];
}

char memory_may_be_reached_ok(struct box *box) {
    free(box->text);
    unknown();
    return box->text[0];
}

char variable_cannot_be_reached_bad(struct box *box) {
    char *text = box->text;
    free(text);
    unknown();
    return text[0];    //~ use-after-release "text"
}

// The test may have to do with who owns the text.
char test_is_not_known_ok(struct box *box) {
    char *text = box->text;
    if (box->owned)
        free(text);
    unknown_box(box);
    if (!box->owned)
        return text[0];
    return '\0';
}

char test_is_repeated_ok(struct box *box) {
    char *text = box->text;
    if (box->owned)
        free(text);
    if (!box->owned)
        return text[0];
    return '\0';
}

// The parameters may lead to the same box.
int other_name_ok(struct registry *a, struct registry *b, struct box *fresh) {
    struct box *old = a->first;
    b->first = fresh;
    box_free(old);
    return a->first->length;
}

// Even then it is the box that was released.
int other_name_bad(struct registry *a, struct registry *b, struct box *fresh) {
    b->first = fresh;
    box_free(a->first);
    return a->first->length;    //~ use-after-release "a->first"
}

int found_before_unknown_code_ok(struct box *box) {
    char *text = box->text;
    unknown();
    free(text);
    return box->text[0];
}

static struct box *current;

static void replace_current(struct box *box) {
    box_free(current);
    current = box;
}

int global_was_replaced_ok(struct box *box) {
    replace_current(box);
    return current->length;
}

void elements_ok(struct box **boxes, int count) {
    for (int i = 0; i < count; i++) {
        boxes[i]->length = 0;
        box_free(boxes[i]);
    }
}

void written_at_the_end_bad(struct box *box, int count) {
    for (int i = 0; i < count; i++) {
        if (box->length == i) {
            box_free(box);
            break;
        }
    }
    box->length = 0;    //~ use-after-release "box"
}

int struct_is_overwritten_ok(struct box *box, int clear) {
    static const struct box empty = { NULL, 0, 0 };
    if (clear) {
        free(box->text);
        *box = empty;
    }
    return box->text ? box->text[0] : 0;
}

int struct_is_zeroed_ok(struct box *box, int clear) {
    if (clear) {
        free(box->text);
        memset(box, 0, sizeof *box);
    }
    return box->text ? box->text[0] : 0;
}

int descriptor_after_close_bad(const char *path, char *buffer) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    close(fd);
    return read(fd, buffer, 8);    //~ use-after-release "fd"
}

void descriptor_number_is_printed_ok(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return;
    close(fd);
    printf("%d was closed\n", fd);
}
