// What a stack of OpenSSL was given it has, also where its caller asks only whether the result is zero.
#include "stubs.h"

typedef struct stack_st STACK;
typedef struct bio_st BIO;
typedef struct x509_st X509;
STACK *OPENSSL_sk_new_null(void);
void OPENSSL_sk_free(STACK *stack);
int OPENSSL_sk_push(STACK *stack, const void *data);
X509 *PEM_read_bio_X509(BIO *bio, X509 **out, void *callback, void *data);
void X509_free(X509 *x);

STACK *read_ok(BIO *bio) {
    STACK *stack = OPENSSL_sk_new_null();
    X509 *x;
    if (!stack)
        return NULL;
    while ((x = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
        if (!OPENSSL_sk_push(stack, x))
            exit(1);
    }
    return stack;
}

STACK *read_bad(BIO *bio) {
    STACK *stack = OPENSSL_sk_new_null();
    X509 *x;
    if (!stack)
        return NULL;
    while ((x = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {    //~ memory-leak "`x`"
        if (!OPENSSL_sk_push(stack, x))
            break;
    }
    return stack;
}
