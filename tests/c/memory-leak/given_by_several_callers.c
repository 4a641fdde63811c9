//@ engines: path flow
// A function stores through a parameter, and many callers give it variables of theirs. What one of them loses is
// not held by the variables of the others.

#include <stdlib.h>
#include <string.h>

int copy_into(char **out, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return -1;
    *out = copy;
    return 0;
}

size_t lost_by_one_bad(const char *text)
{
    char *copy;
    if (copy_into(&copy, text) < 0)    //~ memory-leak "leaks"
        return 0;
    return strlen(copy);
}

size_t released_by_another_ok(const char *text)
{
    char *copy;
    if (copy_into(&copy, text) < 0)
        return 0;
    size_t length = strlen(copy);
    free(copy);
    return length;
}

int handed_further_ok(char **out, const char *text)
{
    return copy_into(out, text);
}

// A place that the program keeps for everybody to find.
static char **place;

static int copy_to_place(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return -1;
    *place = copy;
    return 0;
}

void released_through_place_ok(const char *text)
{
    char *here = NULL;
    place = &here;
    if (copy_to_place(text) == 0)
        free(here);
    place = NULL;
}
