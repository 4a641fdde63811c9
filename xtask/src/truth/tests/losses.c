#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct box {
    char *label;
    struct box *next;
};

struct guarded {
    pthread_mutex_t lock;
    int level;
};

int use(const char *text);

int early(const char *name, int flag)
{
    char *first = strdup(name);
    char *second = strdup(name);
    if (second == NULL) {
        free(first);
        return -1;
    }
    if (first == NULL) {
        free(second);
        return -1;
    }
    if (flag)
        return 1;
    free(first);
    free(second);
    return 0;
}

void at_the_end(const char *path)
{
    FILE *stream = fopen(path, "r");
    if (stream == NULL)
        return;
    use(path);
}

int replaced(const char *name, int count)
{
    char *text = NULL;
    for (int i = 0; i < count; i++)
        text = strdup(name);
    int answer = text ? use(text) : 0;
    free(text);
    return answer;
}

int shifted(char *spare)
{
    char *text = malloc(10);
    text = spare;
    return use(text);
}

void owner(const char *name)
{
    struct box *box = calloc(1, sizeof *box);
    if (box == NULL)
        return;
    box->label = strdup(name);
    free(box);
}

void twice(struct box *box)
{
    free(box->label);
    free(box->label);
}

struct box *after(struct box *box)
{
    free(box);
    return box->next;
}

int locked(struct guarded *guarded)
{
    pthread_mutex_lock(&guarded->lock);
    if (guarded->level > 10)
        return 1;
    guarded->level++;
    pthread_mutex_unlock(&guarded->lock);
    return 1;
}

void unlocked(struct guarded *guarded, int flag)
{
    pthread_mutex_lock(&guarded->lock);
    if (flag)
        pthread_mutex_unlock(&guarded->lock);
    guarded->level++;
    pthread_mutex_unlock(&guarded->lock);
}
