// What a thread was handed changes behind our back: what is put there later may be taken out by the thread.
#include "stubs.h"

struct pool;
typedef void work(struct pool *pool, unsigned number, void *argument);

struct item {
    struct item *next;
    work *function;
    void *argument;
    unsigned number;
};

struct pool {
    pthread_t *threads;
    struct item *first, *last;
    unsigned count;
    int ends;
    pthread_mutex_t lock;
    pthread_cond_t filled;
};

static void *take_and_work(void *given) {
    struct pool *pool = given;
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        while (!pool->first && !pool->ends)
            pthread_cond_wait(&pool->filled, &pool->lock);
        struct item *item = pool->first;
        if (!item) {
            pthread_mutex_unlock(&pool->lock);
            return 0;
        }
        pool->first = item->next;
        pthread_mutex_unlock(&pool->lock);
        item->function(pool, item->number, item->argument);
        free(item);
    }
}

// The sign of an error number is changed on its way, as in many kernels and file systems.
static int pool_start(struct pool *pool, unsigned threads) {
    memset(pool, 0, sizeof *pool);
    int error = -pthread_mutex_init(&pool->lock, 0);
    if (error)
        return error;
    pool->count = threads;
    pool->threads = malloc(threads * sizeof(pthread_t));
    if (!pool->threads)
        return -12;
    for (unsigned i = 0; i < threads; i++) {
        error = -pthread_create(&pool->threads[i], 0, take_and_work, pool);
        if (error)
            break;
    }
    if (error) {
        free(pool->threads);
        memset(pool, 0, sizeof *pool);
    }
    return error;
}

static int pool_add(struct pool *pool, work *function, unsigned number, void *argument) {
    if (pool->count == 0) {
        function(pool, number, argument);
        return 0;
    }
    struct item *item = malloc(sizeof *item);
    if (!item)
        return -12;
    item->function = function;
    item->number = number;
    item->argument = argument;
    item->next = 0;
    pthread_mutex_lock(&pool->lock);
    if (pool->first)
        pool->last->next = item;
    else
        pool->first = item;
    pool->last = item;
    pthread_mutex_unlock(&pool->lock);
    pthread_cond_signal(&pool->filled);
    return 0;
}

static void pool_end(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->ends = 1;
    pthread_mutex_unlock(&pool->lock);
    pthread_cond_broadcast(&pool->filled);
    for (unsigned i = 0; i < pool->count; i++)
        pthread_join(pool->threads[i], 0);
    free(pool->threads);
    memset(pool, 0, sizeof *pool);
}

static void print_number(struct pool *pool, unsigned number, void *argument) {
    printf("%u\n", number);
    free(argument);
}

void emptied_by_threads_ok(unsigned count) {
    struct pool pool;
    if (pool_start(&pool, 4))
        exit(1);
    for (unsigned i = 0; i < count; i++)
        if (pool_add(&pool, print_number, i, 0))
            exit(1);
    pool_end(&pool);
}

// The sign is changed once more, and whoever starts the pool does not come back without threads.
static void pool_must_start(struct pool *pool, unsigned threads) {
    int error = -pool_start(pool, threads);
    if (error)
        exit(error);
}

static void pool_must_add(struct pool *pool, work *function, unsigned number, void *argument) {
    int error = -pool_add(pool, function, number, argument);
    if (error)
        exit(error);
}

void emptied_by_as_many_threads_as_asked_for_ok(unsigned count, unsigned threads) {
    struct pool pool;
    pool_must_start(&pool, threads);
    for (unsigned i = 0; i < count; i++)
        pool_must_add(&pool, print_number, i, 0);
    pool_end(&pool);
}

// A number that may be 0 may also be 0 with its sign changed.
static int pool_try(struct pool *pool, unsigned threads) {
    return pool_start(pool, threads) == -11 ? 0 : 1;
}

int sign_of_nothing_bad(struct pool *pool, unsigned threads) {
    char *text = strdup("threads");    //~ memory-leak "text"
    if (!text)
        exit(1);
    int error = -pool_try(pool, threads);
    if (error)
        free(text);
    return error;
}

// The same queue without anybody who works on it.
void emptied_by_nobody_bad(unsigned count) {
    struct pool pool = {0};
    pool.count = 1;
    pthread_mutex_init(&pool.lock, 0);
    for (unsigned i = 0; i < count; i++)
        if (pool_add(&pool, print_number, i, 0))    //~ memory-leak
            exit(1);
    memset(&pool, 0, sizeof pool);
}

struct mailbox {
    pthread_mutex_t lock;
    char *letter;
    int read;
};

void *read_letters(void *box);

int letter_for_a_thread_ok(const char *text) {
    struct mailbox box = {.letter = 0};
    pthread_t reader;
    pthread_mutex_init(&box.lock, 0);
    if (pthread_create(&reader, 0, read_letters, &box))
        return -1;
    char *letter = strdup(text);
    if (letter) {
        pthread_mutex_lock(&box.lock);
        box.letter = letter;
        pthread_mutex_unlock(&box.lock);
    }
    pthread_join(reader, 0);
    box.letter = 0;
    return 0;
}

int letter_before_the_thread_bad(const char *text) {
    struct mailbox box = {.letter = 0};
    pthread_t reader;
    pthread_mutex_init(&box.lock, 0);
    box.letter = strdup(text);    //~ memory-leak
    box.letter = 0;
    if (pthread_create(&reader, 0, read_letters, &box))
        return -1;
    pthread_join(reader, 0);
    return 0;
}

// Whether the thread has read it is known to the thread.
int told_by_the_thread_ok(const char *text) {
    struct mailbox box = {.read = 0};
    pthread_t reader;
    char *answer = strdup(text);
    if (!answer)
        return -1;
    pthread_mutex_init(&box.lock, 0);
    if (pthread_create(&reader, 0, read_letters, &box)) {
        free(answer);
        return -1;
    }
    pthread_join(reader, 0);
    if (box.read || !box.read)
        free(answer);
    return 0;
}

int kept_from_the_thread_bad(const char *text) {
    struct mailbox box = {.read = 0};
    pthread_t reader;
    char *answer = strdup(text);    //~ memory-leak "answer"
    if (!answer)
        return -1;
    pthread_mutex_init(&box.lock, 0);
    if (pthread_create(&reader, 0, read_letters, &box))
        return -1;
    pthread_join(reader, 0);
    free(answer);
    return 0;
}
