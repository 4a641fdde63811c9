// The situations of the Saturn leak detector: a block escapes when it is returned,
// stored where the caller or a global can reach it, or handed to something that does
// so; a block that is neither released nor escaped at the end of its function is lost.
#include "stubs.h"

// A missed release on the error path only.

char *error_test_returns_null_bad(size_t size, int error) {
    char *block = malloc(size);    //~ memory-leak "block"
    if (!block)
        return NULL;
    block[0] = '\0';
    if (error)
        return NULL;
    return block;
}

char *error_test_releases_first_ok(size_t size, int error) {
    char *block = malloc(size);
    if (error) {
        free(block);
        return NULL;
    }
    return block;
}

// Path sensitivity: the NULL branch owns nothing.

void released_when_not_null_ok(size_t size) {
    char *block = malloc(size);
    if (block != NULL)
        free(block);
}

int failed_allocation_owns_nothing_ok(size_t size) {
    char *block = malloc(size);
    if (block == NULL)
        return -1;
    block[0] = 1;
    int first = block[0];
    free(block);
    return first;
}

// A stack buffer when the text is short, the heap when it is long.

size_t stack_or_heap_buffer_ok(const char *text, size_t length) {
    char fast[10];
    char *copy;
    if (length < sizeof fast)
        copy = fast;
    else
        copy = malloc(length + 1);
    if (!copy)
        return 0;
    memcpy(copy, text, length);
    copy[length] = '\0';
    size_t seen = strlen(copy);
    if (copy != fast)
        free(copy);
    return seen;
}

size_t stack_or_heap_buffer_bad(const char *text, size_t length) {
    char fast[10];
    char *copy = fast;
    if (length >= sizeof fast) {
        copy = malloc(length + 1);    //~ memory-leak "copy"
        if (!copy)
            return 0;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    size_t seen = strlen(copy);
    if (copy == fast)
        seen++;
    return seen;
}

// A field escapes together with the block that holds it.

struct item {
    char *name;
    struct item *next;
};

static struct item *stack;

static void push(struct item *item) {
    item->next = stack;
    stack = item;
}

static int depth(const struct item *item) {
    int count = 0;
    while (item) {
        count++;
        item = item->next;
    }
    return count;
}

int name_escapes_through_push_ok(const char *text) {
    struct item *item = malloc(sizeof *item);
    if (!item)
        return -1;
    item->name = strdup(text);
    push(item);
    return 0;
}

int looked_at_but_not_pushed_bad(const char *text) {
    struct item *item = malloc(sizeof *item);
    if (!item)
        return -1;
    item->next = NULL;
    item->name = strdup(text);    //~ memory-leak "item->name"
    int count = depth(item);
    free(item);
    return count;
}

// The same store into five kinds of place.

struct holder {
    char *data;
};

static struct holder global_holder;

void stored_in_local_struct_bad(void) {
    struct holder local;
    local.data = malloc(8);    //~ memory-leak "local.data"
}

void stored_in_parameter_ok(struct holder *holder) {
    holder->data = malloc(8);
}

void stored_in_global_ok(void) {
    free(global_holder.data);
    global_holder.data = malloc(8);
}

struct holder *stored_in_block_that_escapes_ok(void) {
    struct holder *holder = malloc(sizeof *holder);
    if (!holder)
        return NULL;
    holder->data = malloc(8);
    return holder;
}

void stored_in_block_that_is_freed_bad(void) {
    struct holder *holder = malloc(sizeof *holder);
    if (!holder)
        return;
    holder->data = malloc(8);    //~ memory-leak "holder->data"
    free(holder);
}

void stored_in_block_that_is_lost_bad(void) {
    struct holder *holder = malloc(sizeof *holder);    //~ memory-leak "holder"
    if (!holder)
        return;
    holder->data = malloc(8);    //~ memory-leak "holder->data"
}

// Two fresh blocks that hold only each other do not keep each other alive.

struct ring {
    struct ring *next;
    struct ring *previous;
};

void cycle_nobody_holds_bad(void) {
    struct ring *first = malloc(sizeof *first);    //~ memory-leak
    if (!first)
        return;
    struct ring *second = malloc(sizeof *second);    //~ memory-leak
    if (!second) {
        free(first);
        return;
    }
    first->next = second;
    first->previous = second;
    second->next = first;
    second->previous = first;
}

struct ring *cycle_that_is_returned_ok(void) {
    struct ring *first = malloc(sizeof *first);
    if (!first)
        return NULL;
    first->next = malloc(sizeof *first);
    if (!first->next) {
        free(first);
        return NULL;
    }
    first->previous = first->next;
    first->next->next = first;
    first->next->previous = first;
    return first;
}

void cycle_that_is_freed_ok(void) {
    struct ring *first = malloc(sizeof *first);
    if (!first)
        return;
    first->next = malloc(sizeof *first);
    if (first->next) {
        first->next->previous = first;
        free(first->next);
    }
    free(first);
}

// A function that allocates its result and keeps something deep inside its argument.

struct state {
    void *data;
    struct state *next;
};

static void *kept;

void *keep_data_of_next(struct state *state) {
    kept = state->next->data;
    return malloc(5);
}

int data_of_next_is_kept_ok(const char *text) {
    struct state inner = { strdup(text), NULL };
    struct state outer = { NULL, &inner };
    void *fresh = keep_data_of_next(&outer);
    free(fresh);
    return 0;
}

int own_data_is_not_kept_bad(const char *text) {
    struct state inner = { NULL, NULL };
    struct state outer = { strdup(text), &inner };    //~ memory-leak
    void *fresh = keep_data_of_next(&outer);
    free(fresh);
    return 0;
}

int result_of_keeper_is_fresh_bad(struct state *state) {
    void *fresh = keep_data_of_next(state);    //~ memory-leak "fresh"
    return fresh != NULL;
}

// Insertion makes the new node and the old rest escape, but not the head.

struct node {
    int value;
    struct node *next;
};

static void insert_after(struct node *head, struct node *new_node) {
    new_node->next = head->next;
    head->next = new_node;
}

int inserted_after_parameter_ok(struct node *head, int value) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return -1;
    fresh->value = value;
    insert_after(head, fresh);
    return 0;
}

int inserted_after_local_head_bad(int value) {
    struct node head = { 0, NULL };
    struct node *fresh = malloc(sizeof *fresh);    //~ memory-leak
    if (!fresh)
        return -1;
    fresh->value = value;
    insert_after(&head, fresh);
    return head.next->value;
}

int fresh_head_is_not_kept_bad(struct node *rest) {
    struct node *head = malloc(sizeof *head);    //~ memory-leak "head"
    if (!head)
        return -1;
    head->next = NULL;
    insert_after(head, rest);
    return head->next->value;
}

// A function that returns a fresh block and also keeps it is not an allocator.

struct region {
    struct region *next;
    char bytes[32];
};

static struct region *regions;

static char *region_take(void) {
    struct region *region = malloc(sizeof *region);
    if (!region)
        return NULL;
    region->next = regions;
    regions = region;
    return region->bytes;
}

int region_keeps_its_blocks_ok(const char *text) {
    char *copy = region_take();
    if (!copy)
        return -1;
    strncpy(copy, text, 31);
    copy[31] = '\0';
    return puts(copy);
}

static void *registry[64];
static unsigned registered;

static void *remember(size_t size) {
    if (registered >= 64)
        return NULL;
    void *block = malloc(size);
    registry[registered++] = block;
    return block;
}

int remembered_block_ok(void) {
    int *number = remember(sizeof *number);
    if (!number)
        return -1;
    *number = 1;
    return *number;
}

// Inheritance in C: the address of a member stands for the whole block.

struct super {
    int id;
};

struct sub {
    int value;
    struct super super;
};

struct super *make_sub_ok(int id) {
    struct sub *sub = malloc(sizeof *sub);
    if (!sub)
        return NULL;
    sub->value = 0;
    sub->super.id = id;
    return &sub->super;
}

static void destroy_super(struct super *super) {
    free((char *)super - offsetof(struct sub, super));
}

int member_stands_for_block_ok(int id) {
    struct super *super = make_sub_ok(id);
    if (!super)
        return -1;
    int seen = super->id;
    destroy_super(super);
    return seen;
}

int member_stands_for_block_bad(int id) {
    struct super *super = make_sub_ok(id);    //~ memory-leak "super"
    if (!super)
        return -1;
    if (super->id < 0)
        return -2;
    destroy_super(super);
    return 0;
}

// Casts keep the identity of the block.

struct packet {
    int kind;
    char body[12];
};

void cast_through_other_types_ok(void) {
    int *numbers = malloc(64);
    if (!numbers)
        return;
    numbers[0] = 3;
    char *bytes = (char *)numbers;
    struct packet *packet = (void *)bytes;
    packet->body[0] = 'x';
    free(packet);
}

char *cast_and_returned_ok(size_t size) {
    int *numbers = malloc(size);
    void *anything = numbers;
    return (char *)anything;
}

int cast_through_other_types_bad(void) {
    int *numbers = malloc(64);    //~ memory-leak
    if (!numbers)
        return -1;
    numbers[0] = 3;
    struct packet *packet = (struct packet *)(char *)numbers;
    return packet->kind;
}

// Address arithmetic with a constant that is taken back again.

#define PAGE_OFFSET 0xffff880000000000UL

static unsigned long virt_to_phys(void *address) { return (unsigned long)address - PAGE_OFFSET; }
static void *phys_to_virt(unsigned long address) { return (void *)(address + PAGE_OFFSET); }

unsigned long physical_address_is_returned_ok(void) {
    void *page = malloc(4096);
    if (!page)
        return 0;
    return virt_to_phys(page);
}

void physical_address_is_taken_back_ok(void) {
    void *page = malloc(4096);
    unsigned long address = virt_to_phys(page);
    free(phys_to_virt(address));
}

int physical_address_is_dropped_bad(void) {
    void *page = malloc(4096);    //~ memory-leak
    if (!page)
        return 0;
    unsigned long address = virt_to_phys(page);
    if (address < 4096)
        return 1;
    return 2;
}

// Three real kinds of defect: an error path, a covert allocator, a name that promises too much.

int leave_realm_bad(const char *hostname, int missing) {
    char *host = strdup(hostname);    //~ memory-leak "host"
    if (!host)
        return -1;
    if (missing)
        return -ENOENT;
    puts(host);
    free(host);
    return 0;
}

struct file_info {
    const char *directory;
    const char *name;
};

static char *long_name(const struct file_info *info) {
    size_t length = strlen(info->directory) + strlen(info->name) + 2;
    char *text = malloc(length);
    if (!text)
        return NULL;
    snprintf(text, length, "%s/%s", info->directory, info->name);
    return text;
}

void archive_one_bad(const struct file_info *info) {
    char *name = long_name(info);    //~ memory-leak "name"
    if (!name)
        return;
    puts(name);
}

void archive_one_ok(const struct file_info *info) {
    char *name = long_name(info);
    if (!name)
        return;
    puts(name);
    free(name);
}

static int trusted_domain_delete(char *domain) {
    if (domain[0] == '\0')
        return 0;
    return unlink(domain) == 0;
}

int revoke_trust_bad(const char *argument) {
    char *domain = strdup(argument);    //~ memory-leak "domain"
    if (!domain)
        return -1;
    if (!trusted_domain_delete(domain))
        return -1;
    return 0;
}

int revoke_trust_ok(const char *argument) {
    char *domain = strdup(argument);
    if (!domain)
        return -1;
    int deleted = trusted_domain_delete(domain);
    free(domain);
    return deleted ? 0 : -1;
}

// A callee that returns its argument or NULL.

struct number {
    size_t used;
    size_t capacity;
    int digits[4];
};

static struct number *number_new(void) {
    struct number *number = malloc(sizeof *number);
    if (!number)
        return NULL;
    number->used = 0;
    number->capacity = 4;
    return number;
}

static struct number *number_copy(struct number *to, const struct number *from) {
    if (from->used > to->capacity)
        return NULL;
    memcpy(to->digits, from->digits, from->used * sizeof to->digits[0]);
    to->used = from->used;
    return to;
}

struct number *number_duplicate_ok(const struct number *from) {
    struct number *target = number_new();
    if (target == NULL)
        return NULL;
    struct number *result = number_copy(target, from);
    if (result == NULL)
        free(target);
    return result;
}

struct number *number_duplicate_bad(const struct number *from) {
    struct number *target = number_new();    //~ memory-leak
    if (target == NULL)
        return NULL;
    struct number *result = number_copy(target, from);
    return result;
}
