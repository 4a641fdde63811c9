#include "pool.h"

/* Loses the file on two ways out. */
static int count_lines(const char *path, int limit)
{
    int lines = 0;
    int c;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return -1;
    if (limit < 0)
        return -2;
    while ((c = fgetc(file)) != EOF) {
        if (c == '\n')
            lines++;
        if (lines > limit)
            return limit;
    }
    fclose(file);
    return lines;
}

int main(int argc, char **argv)
{
    struct entry *first = entry_new("<b>first</b>");
    if (argc > 1 && count_lines(argv[1], argc - 3) < 0) {
        entry_free(first);
        return 1;
    }
    entry_free(first);
    return 0;
}
