// Singly linked, iterative: two sorted lists become one, cell by cell.
#include "stubs.h"

struct list {
    int data;
    struct list *next;
};

struct list *si_merge(struct list *left, struct list *right) {
    struct list *head;
    struct list *tail;
    if (left == NULL)
        return right;
    if (right == NULL)
        return left;
    if (left->data < right->data) {
        head = left;
        left = left->next;
    } else {
        head = right;
        right = right->next;
    }
    tail = head;
    while (left != NULL && right != NULL) {
        if (left->data < right->data) {
            tail->next = left;
            left = left->next;
        } else {
            tail->next = right;
            right = right->next;
        }
        tail = tail->next;
    }
    if (left != NULL)
        tail->next = left;
    else
        tail->next = right;
    return head;
}
