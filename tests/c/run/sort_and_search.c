// leaks: 0
// qsort and bsearch with callbacks, and three sorting algorithms of our own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person {
    char name[12];
    int age;
    double height;
};

static int comparisons;

static int by_int(const void *a, const void *b) {
    int x = *(const int *)a;
    int y = *(const int *)b;
    comparisons++;
    return (x > y) - (x < y);
}

static int by_int_down(const void *a, const void *b) { return -by_int(a, b); }

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct person *)a)->name, ((const struct person *)b)->name);
}

static int by_age_then_name(const void *a, const void *b) {
    const struct person *p = a;
    const struct person *q = b;
    return p->age != q->age ? p->age - q->age : strcmp(p->name, q->name);
}

static int by_pointed_string(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void show(const int *v, int n) {
    for (int i = 0; i < n; i++)
        printf("%d ", v[i]);
    putchar('\n');
}

static void insertion_sort(int *v, int n) {
    for (int i = 1; i < n; i++) {
        int x = v[i];
        int j = i;
        for (; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

static void quick_sort(int *v, int low, int high) {
    if (low >= high)
        return;
    int pivot = v[(low + high) / 2];
    int i = low;
    int j = high;
    while (i <= j) {
        while (v[i] < pivot)
            i++;
        while (v[j] > pivot)
            j--;
        if (i <= j) {
            int t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
    }
    quick_sort(v, low, j);
    quick_sort(v, i, high);
}

static void heap_down(int *v, int n, int i) {
    for (int child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && v[child + 1] > v[child])
            child++;
        if (v[i] >= v[child])
            return;
        int t = v[i];
        v[i] = v[child];
        v[child] = t;
    }
}

static void heap_sort(int *v, int n) {
    for (int i = n / 2; i-- > 0;)
        heap_down(v, n, i);
    while (n-- > 1) {
        int t = v[0];
        v[0] = v[n];
        v[n] = t;
        heap_down(v, n, 0);
    }
}

int main(void) {
    const int original[10] = { 42, -3, 17, 0, 99, 5, -40, 8, 63, 21 };
    int v[10];
    memcpy(v, original, sizeof v);
    qsort(v, 10, sizeof v[0], by_int);
    show(v, 10);
    printf("%d\n", comparisons > 0);
    int wanted = 63;
    int *hit = bsearch(&wanted, v, 10, sizeof v[0], by_int);
    printf("%ld\n", hit ? (long)(hit - v) : -1L);
    wanted = 64;
    printf("%d\n", bsearch(&wanted, v, 10, sizeof v[0], by_int) == NULL);
    qsort(v, 10, sizeof v[0], by_int_down);
    show(v, 10);
    insertion_sort(v, 10);
    show(v, 10);
    memcpy(v, original, sizeof v);
    quick_sort(v, 0, 9);
    show(v, 10);
    memcpy(v, original, sizeof v);
    heap_sort(v, 10);
    show(v, 10);

    struct person people[] = { { "mary", 30, 1.7 }, { "adam", 25, 1.8 }, { "zoe", 30, 1.6 }, { "bob", 25, 1.9 } };
    qsort(people, 4, sizeof people[0], by_age_then_name);
    for (int i = 0; i < 4; i++)
        printf("%s/%d/%.1f ", people[i].name, people[i].age, people[i].height);
    qsort(people, 4, sizeof people[0], by_name);
    struct person key = { "mary", 0, 0 };
    struct person *found = bsearch(&key, people, 4, sizeof people[0], by_name);
    printf("%d\n", found ? found->age : -1);
    const char *words[] = { "pear", "apple", "fig", "banana", "cherry" };
    qsort(words, 5, sizeof words[0], by_pointed_string);
    for (int i = 0; i < 5; i++)
        printf("%s ", words[i]);
    putchar('\n');
    return 0;
}
