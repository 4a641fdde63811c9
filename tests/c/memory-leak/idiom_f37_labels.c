// Cleanup by labels, with a success path that passes through some of them.
#include "stubs.h"

int copy_file_ok(const char *from, const char *to) {
    int result = -1;
    char *buffer;
    FILE *in, *out;
    if (!(buffer = malloc(BUFSIZ)))
        goto done;
    if (!(in = fopen(from, "r")))
        goto free_buffer;
    if (!(out = fopen(to, "w")))
        goto close_in;
    for (size_t n; (n = fread(buffer, 1, BUFSIZ, in)) > 0; )
        if (fwrite(buffer, 1, n, out) != n)
            goto close_out;
    result = 0;
close_out:
    fclose(out);
close_in:
    fclose(in);
free_buffer:
    free(buffer);
done:
    return result;
}

int wrong_label_bad(const char *from, const char *to) {
    int result = -1;
    char *buffer;
    FILE *in;
    if (!(buffer = malloc(BUFSIZ)))    //~ memory-leak "buffer"
        goto done;
    if (!(in = fopen(from, "r")))
        goto done;
    if (fgets(buffer, BUFSIZ, in))
        result = strcmp(buffer, to);
    fclose(in);
    free(buffer);
done:
    return result;
}
