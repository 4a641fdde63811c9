// The block keeps its identity through loops, merges and swaps of names.
#include "stubs.h"

void carried_through_loop_ok(int count) {
    char *block = malloc(64);
    if (!block)
        return;
    for (int i = 0; i < count && i < 64; i++)
        block[i] = 'x';
    free(block);
}

void merged_from_two_sides_ok(int big) {
    char *block;
    if (big)
        block = malloc(64);
    else
        block = malloc(8);
    free(block);
}

void replaced_each_time_ok(char *const *words, int count) {
    char *last = NULL;
    for (int i = 0; i < count; i++) {
        free(last);
        last = strdup(words[i]);
    }
    if (last)
        puts(last);
    free(last);
}

int names_swapped_in_loop_ok(int rounds) {
    char *current = malloc(8);
    char *spare = malloc(8);
    for (int i = 0; i < rounds; i++) {
        char *other = current;
        current = spare;
        spare = other;
    }
    int both = current && spare;
    free(current);
    free(spare);
    return both;
}

char *longest_survives_ok(char *const *words, int count) {
    char *best = NULL;
    for (int i = 0; i < count; i++) {
        char *candidate = strdup(words[i]);
        if (!candidate)
            continue;
        if (!best || strlen(candidate) > strlen(best)) {
            free(best);
            best = candidate;
        } else {
            free(candidate);
        }
    }
    return best;
}

int retry_loop_ok(int fd) {
    char *block = NULL;
    size_t size = 16;
    ssize_t got;
    do {
        free(block);
        size *= 2;
        block = malloc(size);
        if (!block)
            return -1;
        got = read(fd, block, size);
    } while (got == (ssize_t)size && size < 4096);
    free(block);
    return 0;
}

int pointer_moves_through_block_ok(const char *text) {
    char *start = strdup(text);
    if (!start)
        return -1;
    char *end = start;
    while (*end)
        end++;
    int length = (int)(end - start);
    free(start);
    return length;
}

void lost_in_second_iteration_bad(char *const *words, int count) {
    char *last = NULL;
    for (int i = 0; i < count; i++)
        last = strdup(words[i]);    //~ memory-leak "last"
    if (last)
        puts(last);
    free(last);
}

char *loser_not_freed_bad(char *const *words, int count) {
    char *best = NULL;
    for (int i = 0; i < count; i++) {
        char *candidate = strdup(words[i]);    //~ memory-leak
        if (!candidate)
            continue;
        if (!best || strlen(candidate) > strlen(best)) {
            free(best);
            best = candidate;
        }
    }
    return best;
}

int start_is_moved_away_bad(const char *text) {
    char *cursor = strdup(text);    //~ memory-leak "cursor"
    if (!cursor)
        return -1;
    int spaces = 0;
    while (*cursor) {
        if (*cursor == ' ')
            spaces++;
        cursor++;
    }
    return spaces;
}

int retry_loop_bad(int fd) {
    char *block;
    size_t size = 16;
    ssize_t got;
    do {
        size *= 2;
        block = malloc(size);    //~ memory-leak "block"
        if (!block)
            return -1;
        got = read(fd, block, size);
    } while (got == (ssize_t)size && size < 4096);
    free(block);
    return 0;
}
