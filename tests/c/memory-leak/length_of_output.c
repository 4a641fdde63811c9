// A function gives the length of what it makes, or less than 0 if it makes nothing. That the length is never less than 0 is beyond
// what is told of the function that writes, which tells characters apart in many ways.
#include "stubs.h"

enum { NAMED = 1, OCTAL = 2, QUOTED = 4, PLAIN = 8 };

static char *write_one(char *to, int c, int mode, int next) {
    if ((c >= 'a' && c <= 'z') || ((mode & PLAIN) && c > ' ' && c < 127)) {
        if ((c == '"' && (mode & QUOTED) != 0) || (c == '\\' && (mode & PLAIN) == 0))
            *to++ = '\\';
        *to++ = (char)c;
        *to = '\0';
        return to;
    }
    if (mode & NAMED) {
        switch (c) {
        case '\n':
            *to++ = '\\';
            *to++ = 'n';
            goto done;
        case '\r':
            *to++ = '\\';
            *to++ = 'r';
            goto done;
        case '\t':
            *to++ = '\\';
            *to++ = 't';
            goto done;
        case '\v':
            *to++ = '\\';
            *to++ = 'v';
            goto done;
        case '\f':
            *to++ = '\\';
            *to++ = 'f';
            goto done;
        case '\b':
            *to++ = '\\';
            *to++ = 'b';
            goto done;
        case '\a':
            *to++ = '\\';
            *to++ = 'a';
            goto done;
        case ' ':
            *to++ = '\\';
            *to++ = 's';
            goto done;
        case '\0':
            *to++ = '\\';
            *to++ = '0';
            if (next >= '0' && next <= '7') {
                *to++ = '0';
                *to++ = '0';
            }
            goto done;
        }
    }
    if ((c & 0177) == ' ' || (mode & OCTAL)) {
        *to++ = '\\';
        *to++ = (char)((c >> 6 & 7) + '0');
        *to++ = (char)((c >> 3 & 7) + '0');
        *to++ = (char)((c & 7) + '0');
        goto done;
    }
    if ((mode & PLAIN) == 0)
        *to++ = '\\';
    if (c & 0200) {
        c &= 0177;
        *to++ = 'M';
    }
    if (c < ' ') {
        *to++ = '^';
        if (c == 0177)
            *to++ = '?';
        else
            *to++ = (char)(c + '@');
    } else {
        *to++ = '-';
        *to++ = (char)c;
    }
done:
    *to = '\0';
    return to;
}

static int write_all(char *to, const char *from, int mode) {
    char *start = to;
    for (char c; (c = *from) != '\0';)
        to = write_one(to, c, mode, *++from);
    *to = '\0';
    return (int)(to - start);
}

static int make_escaped(char **out, const char *from, int mode) {
    char *room = calloc(4, strlen(from) + 1);
    if (room == NULL)
        return -1;
    int length = write_all(room, from, mode);
    *out = realloc(room, (size_t)length + 1);
    if (*out == NULL)
        *out = room;
    return length;
}

int show_ok(const char *text) {
    char *out;
    if (make_escaped(&out, text, OCTAL | NAMED) == -1)
        return -1;
    puts(out);
    free(out);
    return 0;
}

int show_short_bad(const char *text, int most) {
    char *out;
    int length = make_escaped(&out, text, OCTAL | NAMED);    //~ memory-leak "out"
    if (length == -1)
        return -1;
    if (length > most)
        return -2;
    puts(out);
    free(out);
    return 0;
}
