// Who takes a node off a list and releases it on one way has the last reference to it: on another way it leaks unless somebody gets it.
#include "stubs.h"

struct job {
    int number;
    char *text;
    struct job *next;
    struct job **back;
};

struct jobs {
    struct job *first;
    struct job **end;
};

int send_text(const char *text);
void complain(int code);

int jobs_add(struct jobs *jobs, const char *text) {
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return -1;
    job->text = strdup(text);
    if (!job->text) {
        free(job);
        return -1;
    }
    job->next = NULL;
    job->back = jobs->end;
    *jobs->end = job;
    jobs->end = &job->next;
    return 0;
}

#define UNLINK(jobs, job)                        \
    do {                                         \
        if ((job)->next)                         \
            (job)->next->back = (job)->back;     \
        else                                     \
            (jobs)->end = (job)->back;           \
        *(job)->back = (job)->next;              \
    } while (0)

static void job_free(struct job *job) {
    free(job->text);
    free(job);
}

// The error is reported, and the job forgotten.
int run_all_bad(struct jobs *jobs) {
    struct job *job;
    int failed = 0;
    while ((job = jobs->first)) {
        UNLINK(jobs, job);    //~ memory-leak "job"
        if (send_text(job->text) < 0) {
            failed++;
            continue;
        }
        job_free(job);
    }
    return failed;
}

int run_all_ok(struct jobs *jobs) {
    struct job *job;
    int failed = 0;
    while ((job = jobs->first)) {
        UNLINK(jobs, job);
        if (send_text(job->text) < 0)
            failed++;
        job_free(job);
    }
    return failed;
}

// What could not be sent goes to the end of another list.
void run_again_ok(struct jobs *jobs, struct jobs *later) {
    struct job *job = jobs->first;
    if (!job)
        return;
    UNLINK(jobs, job);
    if (send_text(job->text) < 0) {
        job->next = NULL;
        job->back = later->end;
        *later->end = job;
        later->end = &job->next;
        return;
    }
    job_free(job);
}

// One condition is asked for twice.
int asked_twice_ok(struct jobs *jobs, struct job **kept, int keep) {
    struct job *job = jobs->first;
    if (!job)
        return 0;
    UNLINK(jobs, job);
    if (!keep)
        complain(job->number);
    if (keep)
        *kept = job;
    else
        job_free(job);
    return 1;
}

// What the one branch has found out is remembered for the other.
int remembered_ok(struct jobs *jobs, struct job **kept) {
    struct job *job = jobs->first;
    int done = 0;
    if (!job)
        return 0;
    UNLINK(jobs, job);
    if (send_text(job->text) < 0) {
        *kept = job;
        done = 1;
    }
    if (!done)
        job_free(job);
    return done;
}

// The node itself says whether somebody else has it.
int decided_by_the_node_ok(struct jobs *jobs) {
    struct job *job = jobs->first;
    if (!job)
        return 0;
    UNLINK(jobs, job);
    if (job->number < 0)
        return 1;
    job_free(job);
    return 2;
}

static struct job *jobs_pop(struct jobs *jobs) {
    struct job *job = jobs->first;
    if (job)
        UNLINK(jobs, job);
    return job;
}

int pop_one_bad(struct jobs *jobs, int most) {
    struct job *job = jobs_pop(jobs);    //~ memory-leak "job"
    if (!job)
        return 0;
    if (send_text(job->text) > most) {
        complain(most);
        return -1;
    }
    job_free(job);
    return 1;
}

int pop_one_ok(struct jobs *jobs, int most) {
    struct job *job = jobs_pop(jobs);
    if (!job)
        return 0;
    int sent = send_text(job->text);
    job_free(job);
    if (sent > most) {
        complain(most);
        return -1;
    }
    return 1;
}

struct job *pop_for_caller_ok(struct jobs *jobs, int most) {
    struct job *job = jobs_pop(jobs);
    if (job && send_text(job->text) > most) {
        job_free(job);
        return NULL;
    }
    return job;
}

struct watch {
    struct {
        struct watch *next;
    } entries;
    int number;
};
struct watch_list {
    struct watch *first;
};
static struct watch_list watches;

int watch_number(int number) {
    struct watch *w = malloc(sizeof *w);
    if (!w)
        return -1;
    w->number = number;
    w->entries.next = watches.first;
    watches.first = w;
    return 0;
}

/* What lies behind the node before it is the node itself. */
int unwatch_ok(int number) {
    struct watch *w, *before = NULL;
    for (w = watches.first; w; w = w->entries.next) {
        if (w->number == number) {
            if (!before)
                watches.first = watches.first->entries.next;
            else
                before->entries.next = before->entries.next->entries.next;
            free(w);
            return 0;
        }
        before = w;
    }
    return -1;
}

void unwatch_all_ok(void) {
    struct watch *w;
    while ((w = watches.first)) {
        watches.first = w->entries.next;
        free(w);
    }
}
