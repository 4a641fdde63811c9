// Reference counts kept beside a destructor.
#include "stubs.h"

struct image { unsigned references; unsigned char *pixels; };

static struct image *image_new(size_t size) {
    struct image *image = malloc(sizeof *image);
    if (!image)
        return NULL;
    *image = (struct image){ .references = 1, .pixels = malloc(size) };
    if (image->pixels)
        return image;
    free(image);
    return NULL;
}
static struct image *image_get(struct image *image) { return ++image->references, image; }
static void image_put(struct image *image) {
    if (image && --image->references == 0) {
        free(image->pixels);
        free(image);
    }
}

int got_and_put_ok(size_t size) {
    struct image *image = image_new(size), *same;
    if (!image)
        return -1;
    same = image_get(image);
    image_put(same);
    image_put(image);
    return 0;
}

int never_put_bad(size_t size) {
    struct image *image = image_new(size);    //~ memory-leak "image"
    if (!image)
        return -1;
    if (image->pixels[0])
        return 1;
    image_put(image);
    return 0;
}
