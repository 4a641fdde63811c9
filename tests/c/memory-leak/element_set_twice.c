//@ engines: path flow
// Elements of an array hold memory, and then another element is set twice. That overwrites none of the first.

#include <stdio.h>
#include <stdlib.h>

#define COUNT 40

static const char *names[COUNT];

void set_names_ok(void)
{
    for (int i = 2; i < COUNT; i++) {
        char *name = malloc(16);
        if (!name)
            continue;
        sprintf(name, "name %d", i);
        names[i] = name;
    }
    names[1] = "one";
    names[1] = "the first";
}
