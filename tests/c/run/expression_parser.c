// leaks: 2
// A recursive descent parser that builds a tree, evaluates and simplifies it. The tree of
// an expression with an error is not freed.
#include <stdio.h>
#include <stdlib.h>

enum kind { NUMBER, ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE };

struct node {
    enum kind kind;
    int value;
    struct node *left;
    struct node *right;
};

struct parser {
    const char *at;
    int failed;
};

static struct node *make(enum kind kind, int value, struct node *left, struct node *right) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    *node = (struct node){ kind, value, left, right };
    return node;
}

static void release(struct node *node) {
    if (!node)
        return;
    release(node->left);
    release(node->right);
    free(node);
}

static struct node *sum(struct parser *p);

static void skip(struct parser *p) {
    while (*p->at == ' ')
        p->at++;
}

static struct node *factor(struct parser *p) {
    skip(p);
    if (*p->at == '-') {
        p->at++;
        return make(NEGATE, 0, factor(p), NULL);
    }
    if (*p->at == '(') {
        p->at++;
        struct node *inner = sum(p);
        skip(p);
        if (*p->at == ')')
            p->at++;
        else
            p->failed = 1;
        return inner;
    }
    if (*p->at < '0' || *p->at > '9') {
        p->failed = 1;
        return NULL;
    }
    int value = 0;
    while (*p->at >= '0' && *p->at <= '9')
        value = value * 10 + (*p->at++ - '0');
    return make(NUMBER, value, NULL, NULL);
}

static struct node *product(struct parser *p) {
    struct node *left = factor(p);
    for (skip(p); *p->at == '*' || *p->at == '/'; skip(p)) {
        enum kind kind = *p->at++ == '*' ? MULTIPLY : DIVIDE;
        left = make(kind, 0, left, factor(p));
    }
    return left;
}

static struct node *sum(struct parser *p) {
    struct node *left = product(p);
    for (skip(p); *p->at == '+' || *p->at == '-'; skip(p)) {
        enum kind kind = *p->at++ == '+' ? ADD : SUBTRACT;
        left = make(kind, 0, left, product(p));
    }
    return left;
}

static int evaluate(const struct node *n, int *error) {
    if (!n)
        return 0;
    int a = evaluate(n->left, error);
    int b = evaluate(n->right, error);
    switch (n->kind) {
    case NUMBER:
        return n->value;
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case NEGATE:
        return -a;
    case DIVIDE:
        if (b == 0) {
            *error = 1;
            return 0;
        }
        return a / b;
    }
    return 0;
}

// Folds constants from the leaves upward and frees what it replaces.
static struct node *simplify(struct node *n) {
    int error = 0;
    if (!n || n->kind == NUMBER)
        return n;
    n->left = simplify(n->left);
    n->right = simplify(n->right);
    int value = evaluate(n, &error);
    if (error)
        return n;
    release(n);
    return make(NUMBER, value, NULL, NULL);
}

static void calculate(const char *text) {
    struct parser p = { text, 0 };
    struct node *tree = sum(&p);
    if (p.failed || *p.at) {
        printf("%s: syntax error at %d\n", text, (int)(p.at - text));
        return;
    }
    int error = 0;
    int value = evaluate(tree, &error);
    tree = simplify(tree);
    if (error)
        printf("%s: division by zero, kind %d\n", text, tree->kind);
    else
        printf("%s = %d (%d)\n", text, value, tree->value);
    release(tree);
}

int main(void) {
    calculate("1 + 2 * 3");
    calculate("(1 + 2) * -3");
    calculate("2*(3+(4-5)*6)/2 - 7");
    calculate("10 / (5 - 5) + 1");
    calculate("12 + ");
    calculate("--4");
    return 0;
}
