// leaks: 0
// The string functions of the C library, and hand-written ones beside them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sign(int v) { return (v > 0) - (v < 0); }

static size_t own_length(const char *s) {
    const char *e = s;
    while (*e)
        e++;
    return (size_t)(e - s);
}

static void reverse(char *s) {
    size_t n = strlen(s);
    for (size_t i = 0; i < n / 2; i++) {
        char t = s[i];
        s[i] = s[n - 1 - i];
        s[n - 1 - i] = t;
    }
}

static char *trim(char *s) {
    while (*s == ' ')
        s++;
    char *end = s + strlen(s);
    while (end > s && end[-1] == ' ')
        *--end = '\0';
    return s;
}

static int words(const char *s) {
    int count = 0;
    int inside = 0;
    for (; *s; s++) {
        if (*s == ' ') {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            count++;
        }
    }
    return count;
}

static void replace(char *out, size_t size, const char *in, const char *from, const char *to) {
    out[0] = '\0';
    const char *hit;
    while ((hit = strstr(in, from)) != NULL) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%.*s%s", (int)(hit - in), in, to);
        in = hit + strlen(from);
    }
    strncat(out, in, size - strlen(out) - 1);
}

int main(void) {
    char buffer[64];
    strcpy(buffer, "hello");
    strcat(buffer, ", world");
    printf("%s %zu %zu\n", buffer, strlen(buffer), own_length(buffer));
    printf("%d %d %d\n", sign(strcmp("abc", "abd")), sign(strcmp("b", "a")), strcmp("same", "same"));
    printf("%d %d\n", sign(strncmp("abcdef", "abcxyz", 3)), sign(strncmp("abcdef", "abcxyz", 4)));
    printf("%s %s\n", strchr(buffer, 'w'), strrchr(buffer, 'o'));
    printf("%d %d\n", strchr(buffer, 'z') == NULL, strchr(buffer, '\0') == buffer + 12);
    printf("%s\n", strstr(buffer, "lo, w"));
    printf("%zu %zu\n", strspn("aabbcc", "ab"), strcspn("hello, world", ", "));

    char padded[10];
    memset(padded, '#', sizeof padded);
    strncpy(padded, "abc", 6);
    for (int i = 0; i < 10; i++)
        printf("%02x", (unsigned char)padded[i]);
    putchar('\n');

    reverse(buffer);
    puts(buffer);
    char spaces[] = "   some text   ";
    printf("[%s] %d\n", trim(spaces), words("  one two  three "));
    char out[80];
    replace(out, sizeof out, "the cat and the dog and the end", "the", "a");
    puts(out);

    char list[] = "red,green,,blue";
    char *start = list;
    int fields = 0;
    for (char *c = list;; c++) {
        if (*c == ',' || *c == '\0') {
            int last = *c == '\0';
            *c = '\0';
            printf("<%s>", start);
            fields++;
            start = c + 1;
            if (last)
                break;
        }
    }
    printf(" %d\n", fields);

    printf("%d %d %d\n", memcmp("abcd", "abce", 3), sign(memcmp("abcd", "abce", 4)), sign(memcmp("\xff", "\x01", 1)));
    char *copy = strdup("duplicated");
    char *part = strndup("duplicated", 3);
    if (!copy || !part)
        return 1;
    printf("%s %s %zu\n", copy, part, strnlen(copy, 4));
    free(copy);
    free(part);
    printf("%d %ld %d\n", atoi("  -42abc"), strtol("0x1f", NULL, 16), (int)strtol("777", NULL, 8));
    char *end;
    long parsed = strtol("123xyz", &end, 10);
    printf("%ld %s\n", parsed, end);
    return 0;
}
