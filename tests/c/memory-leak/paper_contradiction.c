// Heap routines on lists and trees that move references around without losing a cell,
// whatever the caller passes, and one list reversal that does lose a cell. The
// routines are written from their standard descriptions.
#include "stubs.h"

struct list {
    int value;
    struct list *next;
};

static void list_free(struct list *list) {
    while (list) {
        struct list *next = list->next;
        free(list);
        list = next;
    }
}

// Singly linked lists, iterative.

struct list *create_ok(int count) {
    struct list *list = NULL;
    while (count-- > 0) {
        struct list *cell = malloc(sizeof *cell);
        if (!cell)
            break;
        cell->value = count;
        cell->next = list;
        list = cell;
    }
    return list;
}

struct list *delete_ok(struct list *list, int value) {
    struct list *previous = NULL;
    struct list *current = list;
    while (current && current->value != value) {
        previous = current;
        current = current->next;
    }
    if (!current)
        return list;
    if (previous)
        previous->next = current->next;
    else
        list = current->next;
    free(current);
    return list;
}

struct list *insert_ok(struct list *list, int value) {
    struct list *cell = malloc(sizeof *cell);
    if (!cell)
        return list;
    cell->value = value;
    cell->next = NULL;
    if (!list || list->value >= value) {
        cell->next = list;
        return cell;
    }
    struct list *current = list;
    while (current->next && current->next->value < value)
        current = current->next;
    cell->next = current->next;
    current->next = cell;
    return list;
}

struct list *reverse_ok(struct list *list) {
    struct list *done = NULL;
    while (list) {
        struct list *rest = list->next;
        list->next = done;
        done = list;
        list = rest;
    }
    return done;
}

struct list *merge_ok(struct list *left, struct list *right) {
    struct list head = { 0, NULL };
    struct list *tail = &head;
    while (left && right) {
        if (left->value <= right->value) {
            tail->next = left;
            left = left->next;
        } else {
            tail->next = right;
            right = right->next;
        }
        tail = tail->next;
    }
    tail->next = left ? left : right;
    return head.next;
}

// Singly linked lists, recursive.

struct list *append_ok(struct list *list, struct list *other) {
    if (!list)
        return other;
    list->next = append_ok(list->next, other);
    return list;
}

struct list *insert_recursive_ok(struct list *list, struct list *cell) {
    if (!list || list->value >= cell->value) {
        cell->next = list;
        return cell;
    }
    list->next = insert_recursive_ok(list->next, cell);
    return list;
}

static struct list *reverse_recursive(struct list *list) {
    if (!list || !list->next)
        return list;
    struct list *rest = list->next;
    struct list *reversed = reverse_recursive(rest);
    rest->next = list;
    list->next = NULL;
    return reversed;
}

static struct list *reverse_forgetting(struct list *list) {
    if (!list || !list->next)
        return list;
    struct list *rest = list->next;
    struct list *reversed = reverse_forgetting(rest);
    list->next = NULL;
    return reversed;
}

int reverse_two_cells_ok(void) {
    struct list *first = malloc(sizeof *first);
    if (!first)
        return -1;
    first->next = malloc(sizeof *first);
    if (!first->next) {
        free(first);
        return -1;
    }
    first->next->next = NULL;
    list_free(reverse_recursive(first));
    return 0;
}

int reverse_two_cells_bad(void) {
    struct list *first = malloc(sizeof *first);    //~ memory-leak
    if (!first)
        return -1;
    first->next = malloc(sizeof *first);
    if (!first->next) {
        free(first);
        return -1;
    }
    first->next->next = NULL;
    list_free(reverse_forgetting(first));
    return 0;
}

// Doubly linked lists.

struct chain {
    int value;
    struct chain *next;
    struct chain *previous;
};

struct chain *chain_reverse_ok(struct chain *chain) {
    struct chain *last = NULL;
    while (chain) {
        last = chain;
        chain = last->next;
        last->next = last->previous;
        last->previous = chain;
    }
    return last;
}

struct chain *chain_merge_ok(struct chain *left, struct chain *right) {
    struct chain head = { 0, NULL, NULL };
    struct chain *tail = &head;
    while (left && right) {
        if (left->value <= right->value) {
            tail->next = left;
            left = left->next;
        } else {
            tail->next = right;
            right = right->next;
        }
        tail->next->previous = tail;
        tail = tail->next;
    }
    tail->next = left ? left : right;
    if (tail->next)
        tail->next->previous = tail;
    if (head.next)
        head.next->previous = NULL;
    return head.next;
}

// Balanced trees.

struct avl {
    int key;
    int height;
    struct avl *left;
    struct avl *right;
};

static int avl_height(const struct avl *tree) { return tree ? tree->height : 0; }

static void avl_measure(struct avl *tree) {
    int left = avl_height(tree->left);
    int right = avl_height(tree->right);
    tree->height = (left > right ? left : right) + 1;
}

struct avl *avl_rotate_right_ok(struct avl *tree) {
    struct avl *top = tree->left;
    tree->left = top->right;
    top->right = tree;
    avl_measure(tree);
    avl_measure(top);
    return top;
}

struct avl *avl_rotate_left_ok(struct avl *tree) {
    struct avl *top = tree->right;
    tree->right = top->left;
    top->left = tree;
    avl_measure(tree);
    avl_measure(top);
    return top;
}

struct avl *avl_balance_ok(struct avl *tree) {
    int difference = avl_height(tree->left) - avl_height(tree->right);
    if (difference > 1) {
        if (avl_height(tree->left->left) < avl_height(tree->left->right))
            tree->left = avl_rotate_left_ok(tree->left);
        return avl_rotate_right_ok(tree);
    }
    if (difference < -1) {
        if (avl_height(tree->right->right) < avl_height(tree->right->left))
            tree->right = avl_rotate_right_ok(tree->right);
        return avl_rotate_left_ok(tree);
    }
    avl_measure(tree);
    return tree;
}

struct avl *avl_insert_ok(struct avl *tree, int key) {
    if (!tree) {
        struct avl *fresh = malloc(sizeof *fresh);
        if (!fresh)
            return NULL;
        fresh->key = key;
        fresh->height = 1;
        fresh->left = NULL;
        fresh->right = NULL;
        return fresh;
    }
    if (key < tree->key)
        tree->left = avl_insert_ok(tree->left, key);
    else if (key > tree->key)
        tree->right = avl_insert_ok(tree->right, key);
    return avl_balance_ok(tree);
}

// Walking by pointer reversal, without a stack.

int count_by_reversal_ok(struct list *list) {
    int count = 0;
    struct list *behind = NULL;
    struct list *current = list;
    while (current) {
        struct list *ahead = current->next;
        current->next = behind;
        behind = current;
        current = ahead;
        count++;
    }
    while (behind) {
        struct list *before = behind->next;
        behind->next = current;
        current = behind;
        behind = before;
    }
    return count;
}

struct mark {
    int marked;
    struct mark *left;
    struct mark *right;
};

// Each cell is entered three times; every time its three references move round by one,
// so that the tree is whole again at the end.
void mark_by_rotation_ok(struct mark *root) {
    struct mark end = { 0, NULL, NULL };
    struct mark *previous = &end;
    struct mark *current = root;
    if (!root)
        return;
    while (current != &end) {
        struct mark *left = current->left;
        current->marked++;
        current->left = current->right;
        current->right = previous;
        previous = current;
        current = left;
        if (!current) {
            current = previous;
            previous = NULL;
        }
    }
}
