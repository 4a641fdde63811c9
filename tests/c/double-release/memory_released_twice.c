// The same block is released twice. The place is the second release.
#include "stubs.h"

struct person {
    char *name;
    int age;
};

static void person_free(struct person *person) {
    free(person->name);
    free(person);
}

static void release(void *block) { free(block); }

static int take_or_fail(char *text, int strict) {
    if (strict && text[0] == '\0') {
        free(text);
        return -1;
    }
    free(text);
    return 0;
}

// Releases its argument only when it fails.
static int check(char *text) {
    if (text[0] == '#') {
        free(text);
        return -1;
    }
    return 0;
}

void twice_in_a_row_bad(void) {
    char *block = malloc(8);
    if (!block)
        return;
    block[0] = 'x';
    free(block);
    free(block);    //~ double-release "block"
}

void in_branch_and_at_end_bad(const char *text, int error) {
    char *copy = strdup(text);
    if (!copy)
        return;
    if (error)
        free(copy);
    puts(text);
    free(copy);    //~ double-release "copy"
}

void through_alias_bad(void) {
    char *block = malloc(8);
    if (!block)
        return;
    char *other = block;
    free(other);
    free(block);    //~ double-release
}

void by_wrapper_and_directly_bad(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return;
    release(copy);
    free(copy);    //~ double-release "copy"
}

void by_wrapper_twice_bad(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return;
    release(copy);
    release(copy);    //~ double-release "copy"
}

int callee_released_on_failure_bad(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (check(copy) < 0) {
        free(copy);    //~ double-release "copy"
        return -1;
    }
    free(copy);
    return 0;
}

void field_and_destructor_bad(struct person *person) {
    free(person->name);
    person_free(person);    //~ double-release
}

int label_repeats_release_bad(const char *text, int error) {
    int result = -1;
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (error) {
        free(copy);
        goto out;
    }
    result = 0;
out:
    free(copy);    //~ double-release "copy"
    return result;
}

int old_block_after_realloc_bad(void) {
    char *data = malloc(16);
    if (!data)
        return -1;
    char *bigger = realloc(data, 64);
    if (!bigger) {
        free(data);
        return -1;
    }
    free(bigger);
    free(data);    //~ double-release "data"
    return 0;
}

void same_block_each_time_bad(int count) {
    char *block = malloc(8);
    if (!block)
        return;
    int i = 0;
    do {
        free(block);    //~ double-release "block"
        i++;
    } while (i < count);
}

void parameter_twice_bad(char *block, int error) {
    free(block);
    if (error)
        free(block);    //~ double-release "block"
}

void cleared_in_between_ok(const char *text, int error) {
    char *copy = strdup(text);
    if (!copy)
        return;
    if (error) {
        free(copy);
        copy = NULL;
    }
    free(copy);
}

void exclusive_branches_ok(const char *text, int error) {
    char *copy = strdup(text);
    if (!copy)
        return;
    if (error)
        free(copy);
    if (!error)
        free(copy);
}

void reassigned_in_between_ok(const char *text) {
    char *copy = strdup(text);
    free(copy);
    copy = strdup(text);
    free(copy);
}

void null_twice_ok(void) {
    char *nothing = NULL;
    free(nothing);
    free(nothing);
}

int callee_released_on_failure_ok(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    if (check(copy) < 0)
        return -1;
    free(copy);
    return 0;
}

int callee_always_releases_ok(const char *text, int strict) {
    char *copy = strdup(text);
    if (!copy)
        return -1;
    return take_or_fail(copy, strict);
}

int guarded_by_flag_ok(const char *text, int error) {
    char *copy = strdup(text);
    bool released = false;
    if (!copy)
        return -1;
    if (error) {
        free(copy);
        released = true;
    }
    if (!released)
        free(copy);
    return error;
}

void different_blocks_ok(void) {
    char *blocks[2];
    blocks[0] = malloc(8);
    blocks[1] = malloc(8);
    for (int i = 0; i < 2; i++)
        free(blocks[i]);
}

void distinct_parameters_ok(char *first, char *second) {
    free(first);
    free(second);
}

void two_fields_ok(struct person *left, struct person *right) {
    person_free(left);
    person_free(right);
}

static char *make_and_release(const char *text) {
    char *copy = strdup(text);
    if (!copy)
        exit(1);
    free(copy);
    return copy;
}

void result_was_released_bad(const char *text) {
    char *copy = make_and_release(text);
    free(copy);    //~ double-release "copy"
}

// One of several owners lets go; the last one releases.
struct shared {
    int owners;
    char *text;
};

static void shared_drop(struct shared *shared) {
    if (--shared->owners == 0) {
        free(shared->text);
        free(shared);
    }
}

void two_owners_let_go_ok(struct shared *shared) {
    shared->text[0] = 'x';
    shared_drop(shared);
    shared_drop(shared);
}

void second_owner_looks_ok(struct shared *shared) {
    shared_drop(shared);
    shared->text[0] = 'x';
    shared_drop(shared);
}

void size_zero_is_not_known_ok(char *block, size_t size) {
    char *other = realloc(block, size);
    if (!other) {
        free(block);
        return;
    }
    free(other);
}
