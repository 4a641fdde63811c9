// Streams and descriptors from functions that are only declared: this program closes them elsewhere.
#include "stubs.h"

FILE *find_log(const char *name);
int connect_to(const char *host);

int log_line_ok(const char *name) {
    FILE *log = find_log(name);
    if (!log)
        return -1;
    fputs("start", log);
    return fclose(log);
}

int log_start_bad(const char *name, int quiet) {
    FILE *log = find_log(name);    //~ resource-leak "`log`"
    if (!log)
        return -1;
    if (quiet)
        return 0;
    fputs("start", log);
    return fclose(log);
}

int ask_ok(const char *host, char *answer) {
    int s = connect_to(host);
    if (s < 0)
        return -1;
    int got = (int)read(s, answer, 8);
    close(s);
    return got;
}

int ask_bad(const char *host, char *answer) {
    int s = connect_to(host);    //~ resource-leak "`s`"
    if (s < 0)
        return -1;
    int got = (int)read(s, answer, 8);
    if (got < 8)
        return -1;
    close(s);
    return got;
}
