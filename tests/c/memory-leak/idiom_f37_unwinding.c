// Cleanup by jumping into a ladder of labels.
#include "stubs.h"

struct device {
    char *name;
    int *registers;
    unsigned char *ring;
};

int device_setup_ok(struct device *device, const char *name) {
    int error = -ENOMEM;
    device->name = strdup(name);
    if (!device->name)
        goto out;
    device->registers = calloc(16, sizeof(int));
    if (!device->registers)
        goto free_name;
    device->ring = malloc(4096);
    if (!device->ring)
        goto free_registers;
    return 0;

free_registers:
    free(device->registers);
    device->registers = NULL;
free_name:
    free(device->name);
    device->name = NULL;
out:
    return error;
}

int three_steps_ok(const char *path) {
    int result = -1;
    char *buffer = NULL;
    char *copy = NULL;
    FILE *file = fopen(path, "r");
    if (!file)
        goto end;
    buffer = malloc(512);
    if (!buffer)
        goto end;
    if (!fgets(buffer, 512, file))
        goto end;
    copy = strdup(buffer);
    if (!copy)
        goto end;
    result = (int)strlen(copy);
end:
    free(copy);
    free(buffer);
    if (file)
        fclose(file);
    return result;
}

int one_label_too_late_bad(const char *first, const char *second) {
    int result = -1;
    char *a, *b;
    int *c;
    a = strdup(first);
    if (!a)
        goto end;
    b = strdup(second);    //~ memory-leak "b"
    if (!b)
        goto drop_a;
    c = malloc(sizeof *c);
    if (!c)
        goto drop_a;
    *c = 4;
    result = *c + a[0] + b[0];
    free(c);
    free(b);
drop_a:
    free(a);
end:
    return result;
}

int return_instead_of_goto_bad(const char *first, const char *second) {
    int result = -1;
    char *b = NULL;
    char *a = strdup(first);    //~ memory-leak "a"
    if (!a)
        return -1;
    b = strdup(second);
    if (!b)
        goto end;
    if (b[0] == 0) {
        free(b);
        return 0;
    }
    result = strcmp(a, b);
end:
    free(b);
    free(a);
    return result;
}
