// A function that hands out memory and returns a sum, or a negative number when it fails.
#include "stubs.h"

struct part { char *start; long length; };
int fetch(struct part *parts, int count);

static struct part *parts_from(int count) {
    struct part *parts = calloc(count, sizeof *parts);
    if (!parts)
        return 0;
    if (fetch(parts, count) < 0) {
        free(parts);
        return 0;
    }
    for (int i = 0; i < count; i++)
        if (parts[i].length < 0) {
            free(parts);
            return 0;
        }
    return parts;
}

// No part has a negative length, so the sum is not negative either.
static long import(struct part **out, int count) {
    struct part *parts = parts_from(count);
    if (!parts)
        return -1;
    long total = 0;
    for (int i = 0; i < count; i++)
        total += parts[i].length;
    *out = parts;
    return total;
}

long sum_is_not_negative_ok(int count) {
    struct part *parts;
    long total = import(&parts, count);
    if (total < 0)
        return total;
    free(parts);
    return total;
}

int check(int count);

// What another function says may well be negative.
static long import_and_check(struct part **out, int count) {
    struct part *parts = calloc(count, sizeof *parts);
    if (!parts)
        return -1;
    *out = parts;
    return check(count);
}

long check_is_negative_bad(int count) {
    struct part *parts;
    long result = import_and_check(&parts, count);    //~ memory-leak "parts"
    if (result < 0)
        return result;
    free(parts);
    return result;
}
