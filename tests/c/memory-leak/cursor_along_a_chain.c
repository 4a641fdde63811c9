// A member that only walks along a chain which others hold, and one that is the chain.
#include "stubs.h"

int print(long size);

struct part {
    struct part *next;
    long size;
};

// The first part lies in the file itself, so what `at` points to is nothing that could be released.
struct file {
    int number;
    struct part first;
    struct part *at;
};

int file_grow(struct file *file, long size) {
    struct part *part = calloc(1, sizeof *part);
    if (!part)
        return -1;
    part->size = size;
    file->at->next = part;
    file->at = part;
    return 0;
}

void file_begin(struct file *file) {
    file->at = &file->first;
}

long file_size_ok(struct file *file) {
    long size = 0;
    file->at = &file->first;
    while (file->at) {
        size += file->at->size;
        file->at = file->at->next;
    }
    return size;
}

int file_next_ok(struct file *file) {
    print(file->at->size);
    file->at = file->at->next;
    return file->at != NULL;
}

void file_end(struct file *file) {
    struct part *part = file->first.next;
    while (part) {
        struct part *next = part->next;
        free(part);
        part = next;
    }
}

// The same where the first part has to be released like all others.
struct job {
    struct job *next;
    long size;
};

struct work {
    struct job *at;
};

int work_grow(struct work *work, long size) {
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return -1;
    job->size = size;
    job->next = work->at;
    work->at = job;
    return 0;
}

int work_next_bad(struct work *work) {
    struct job *job = work->at;
    print(job->size);
    work->at = job->next;    //~ memory-leak "job"
    return work->at != NULL;
}

int work_next_ok(struct work *work) {
    struct job *job = work->at;
    print(job->size);
    work->at = job->next;
    free(job);
    return work->at != NULL;
}
