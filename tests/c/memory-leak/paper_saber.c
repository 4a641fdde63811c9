//@ engines: path flow both
// The situations of the sparse value-flow detector: blocks that travel through other
// blocks, through several functions, and are lost on one branch.
#include "stubs.h"

// A two-level buffer is read in a loop; one branch forgets both levels. The losing
// function sees both levels come from one call, so one mark stands for both.

static char **read_buffer(void) {
    char **outer = malloc(sizeof *outer);
    if (!outer)
        return NULL;
    *outer = malloc(2);
    if (!*outer) {
        free(outer);
        return NULL;
    }
    (*outer)[0] = (char)fgetc(stdin);
    (*outer)[1] = '\0';
    return outer;
}

static void free_buffer(char **outer) {
    char *inner = *outer;
    free(inner);
    free(outer);
}

void serial_read_bad(void) {
    for (int n = 0; n < 100; n++) {
        char **buffer = read_buffer();    //~ memory-leak "buffer"
        if (!buffer)
            return;
        char *text = *buffer;
        if (*text != '\n')
            puts(text);
        else
            continue;
        free_buffer(buffer);
    }
}

void serial_read_ok(void) {
    for (int n = 0; n < 100; n++) {
        char **buffer = read_buffer();
        if (!buffer)
            return;
        char *text = *buffer;
        if (*text == '\n') {
            free_buffer(buffer);
            continue;
        }
        puts(text);
        free_buffer(buffer);
    }
}

// The same situation with both allocations in sight: the two leaks apart.

void serial_read_in_sight_bad(int limit) {
    for (int n = 0; n < limit; n++) {
        char **outer = malloc(sizeof *outer);    //~ memory-leak
        if (!outer)
            return;
        *outer = malloc(2);    //~ memory-leak
        if (!*outer) {
            free(outer);
            return;
        }
        (*outer)[0] = (char)fgetc(stdin);
        if ((*outer)[0] == '\n')
            continue;
        free_buffer(outer);
    }
}

// A return inside a loop: the release after the loop is reached only when the loop ends.

void return_inside_loop_bad(int n) {
    char *value = malloc(8);    //~ memory-leak "value"
    char *copy = NULL;
    for (int k = 0; k < 10; k++) {
        if (n < 2)
            copy = value;
        else
            return;
    }
    if (copy)
        copy[0] = 'x';
    free(value);
}

void return_inside_loop_ok(int n) {
    char *value = malloc(8);
    for (int k = 0; k < 10; k++) {
        if (n >= 2) {
            free(value);
            return;
        }
    }
    free(value);
}

// Scenario (a): the default of a switch returns early.

enum format { FORMAT_ALPHA, FORMAT_LUMINANCE, FORMAT_RGB };

struct texture {
    enum format format;
    unsigned char *data;
};

static struct texture *texture_alloc(void) {
    return calloc(1, sizeof(struct texture));
}

struct texture *image_to_texture_bad(enum format format, size_t pixels) {
    struct texture *texture = texture_alloc();    //~ memory-leak "texture"
    if (!texture)
        return NULL;
    texture->format = format;
    texture->data = malloc(pixels * 4);    //~ memory-leak "texture->data"
    if (!texture->data) {
        free(texture);
        return NULL;
    }
    switch (texture->format) {
    case FORMAT_ALPHA:
        texture->data[0] = 1;
        break;
    case FORMAT_LUMINANCE:
        texture->data[0] = 2;
        break;
    default:
        return NULL;
    }
    return texture;
}

struct texture *image_to_texture_ok(enum format format, size_t pixels) {
    struct texture *texture = texture_alloc();
    if (!texture)
        return NULL;
    texture->format = format;
    texture->data = malloc(pixels * 4);
    if (!texture->data) {
        free(texture);
        return NULL;
    }
    switch (texture->format) {
    case FORMAT_ALPHA:
        texture->data[0] = 1;
        break;
    case FORMAT_LUMINANCE:
        texture->data[0] = 2;
        break;
    default:
        free(texture->data);
        free(texture);
        return NULL;
    }
    return texture;
}

// Scenario (b): three blocks in fields are lost when a second constructor fails,
// because the destructor of the first releases only the outer blocks.

struct shared {
    int *one_dimensional;
    int *two_dimensional;
    int *three_dimensional;
};

struct context {
    struct shared *shared;
};

struct screen {
    struct context *context;
    int *framebuffer;
};

static struct shared *shared_alloc(void) {
    struct shared *shared = calloc(1, sizeof *shared);
    if (!shared)
        return NULL;
    shared->one_dimensional = malloc(4);
    shared->two_dimensional = malloc(16);
    shared->three_dimensional = malloc(64);
    return shared;
}

static void shared_free(struct shared *shared) {
    free(shared->one_dimensional);
    free(shared->two_dimensional);
    free(shared->three_dimensional);
    free(shared);
}

static struct context *context_create(void) {
    struct context *context = malloc(sizeof *context);
    if (!context)
        return NULL;
    context->shared = shared_alloc();
    if (!context->shared) {
        free(context);
        return NULL;
    }
    return context;
}

static void context_destroy_shallow(struct context *context) {
    free(context->shared);
    free(context);
}

static void context_destroy(struct context *context) {
    shared_free(context->shared);
    free(context);
}

int screen_init_bad(struct screen *screen, size_t size) {
    screen->context = context_create();    //~ memory-leak
    if (!screen->context)
        return -1;
    screen->framebuffer = malloc(size);
    if (!screen->framebuffer) {
        context_destroy_shallow(screen->context);
        screen->context = NULL;
        return -1;
    }
    return 0;
}

int screen_init_ok(struct screen *screen, size_t size) {
    screen->context = context_create();
    if (!screen->context)
        return -1;
    screen->framebuffer = malloc(size);
    if (!screen->framebuffer) {
        context_destroy(screen->context);
        screen->context = NULL;
        return -1;
    }
    return 0;
}

// The same with the three allocations in sight of the function that loses them.

int screen_init_in_sight_bad(struct screen *screen, size_t size) {
    struct shared *shared = calloc(1, sizeof *shared);
    if (!shared)
        return -1;
    shared->one_dimensional = malloc(4);       //~ memory-leak "shared->one_dimensional"
    shared->two_dimensional = malloc(16);      //~ memory-leak "shared->two_dimensional"
    shared->three_dimensional = malloc(64);    //~ memory-leak "shared->three_dimensional"
    screen->framebuffer = malloc(size);
    if (!screen->framebuffer) {
        free(shared);
        return -1;
    }
    shared_free(shared);
    return 0;
}

// Scenario (c): the insertion fails and its result is ignored; the entry and its name are lost.

struct tree_node {
    void *key;
    struct tree_node *left;
    struct tree_node *right;
};

struct tree {
    struct tree_node *root;
};

static struct tree_node *tree_node_new(void *key) {
    struct tree_node *node = malloc(sizeof *node);
    if (!node)
        return NULL;
    node->key = key;
    node->left = NULL;
    node->right = NULL;
    return node;
}

static int tree_insert(struct tree *tree, void *key) {
    struct tree_node *node = tree_node_new(key);
    if (!node)
        return -1;
    node->left = tree->root;
    tree->root = node;
    return 0;
}

struct user {
    char *name;
    char *password;
};

void read_users_bad(struct tree *users, FILE *file) {
    char line[128];
    while (fgets(line, sizeof line, file)) {
        struct user *entry = calloc(1, sizeof *entry);    //~ memory-leak "entry"
        if (!entry)
            return;
        entry->name = strdup(line);    //~ memory-leak "entry->name"
        tree_insert(users, entry);
    }
}

void read_users_ok(struct tree *users, FILE *file) {
    char line[128];
    while (fgets(line, sizeof line, file)) {
        struct user *entry = calloc(1, sizeof *entry);
        if (!entry)
            return;
        entry->name = strdup(line);
        if (tree_insert(users, entry) < 0) {
            free(entry->name);
            free(entry);
            return;
        }
    }
}

// Scenario (d): an early return between open and close loses both blocks of the handle.

struct gif_private {
    int state;
};

struct gif {
    int image_count;
    void *private_data;
};

static struct gif *gif_open(const unsigned char *bytes) {
    struct gif *gif = malloc(sizeof *gif);
    if (!gif)
        return NULL;
    struct gif_private *private_data = malloc(sizeof *private_data);
    if (!private_data) {
        free(gif);
        return NULL;
    }
    private_data->state = 0;
    gif->image_count = bytes[0];
    gif->private_data = private_data;
    return gif;
}

static int gif_close(struct gif *gif) {
    if (!gif)
        return -1;
    struct gif_private *private_data = gif->private_data;
    free(private_data);
    free(gif);
    return 0;
}

int picture_load_bad(const unsigned char *bytes) {
    struct gif *gif = gif_open(bytes);    //~ memory-leak "gif"
    if (!gif)
        return -1;
    if (gif->image_count < 1) {
        puts("no images inside?");
        return -1;
    }
    gif_close(gif);
    return 0;
}

int picture_load_ok(const unsigned char *bytes) {
    struct gif *gif = gif_open(bytes);
    if (!gif)
        return -1;
    if (gif->image_count < 1) {
        puts("no images inside?");
        gif_close(gif);
        return -1;
    }
    gif_close(gif);
    return 0;
}

// The same with the handle built in sight: the two leaks apart.

int picture_load_in_sight_bad(int count) {
    struct gif *gif = malloc(sizeof *gif);    //~ memory-leak "gif"
    if (!gif)
        return -1;
    gif->private_data = malloc(sizeof(struct gif_private));    //~ memory-leak "gif->private_data"
    if (!gif->private_data) {
        free(gif);
        return -1;
    }
    gif->image_count = count;
    if (gif->image_count < 1)
        return -1;
    return gif_close(gif);
}
