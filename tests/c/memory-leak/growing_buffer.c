// Buffers that tell by their capacity whether they have a block.
#include "stubs.h"

struct text {
    char *data;
    size_t room, used;
};

static char empty[1];

static int text_grow(struct text *text, size_t wanted) {
    size_t room = (wanted + 7) & ~(size_t)7;
    char *data;
    if (wanted <= text->room)
        return 0;
    data = realloc(text->room ? text->data : NULL, room);
    if (!data)
        return -1;
    text->data = data;
    text->room = room;
    return 0;
}

static int text_put(struct text *text, char letter) {
    if (text_grow(text, text->used + 2) < 0)
        return -1;
    text->data[text->used++] = letter;
    text->data[text->used] = 0;
    return 0;
}

static void text_end(struct text *text) {
    if (text->room > 0)
        free(text->data);
    text->data = empty;
    text->room = text->used = 0;
}

int filled_in_a_loop_ok(const char *from) {
    struct text text = { empty, 0, 0 };
    int first;
    for (; *from; from++)
        text_put(&text, *from);
    first = text.data[0];
    text_end(&text);
    return first;
}

int filled_twice_ok(const char *from) {
    struct text text = { empty, 0, 0 };
    int first;
    text_put(&text, from[0]);
    text_put(&text, from[1]);
    first = text.data[0];
    text_end(&text);
    return first;
}

int filled_and_forgotten_bad(const char *from) {
    struct text text = { empty, 0, 0 };
    text_put(&text, from[0]);    //~ memory-leak "`text.data`"
    if (!from[1])
        return -1;
    text_end(&text);
    return 0;
}
