// What a program stores in a structure of a library goes with it when the library frees it: `DSA_SIG_free` frees both numbers. A plain
// block that the library handed out holds what it holds, whoever frees it.
#include "stubs.h"

typedef struct bignum_st BIGNUM;
typedef struct {
    BIGNUM *r, *s;
} DSA_SIG;
BIGNUM *BN_new(void);
DSA_SIG *DSA_SIG_new(void);
void DSA_SIG_free(DSA_SIG *);
void *CRYPTO_malloc(size_t, const char *, int);
void CRYPTO_free(void *);
int check(const DSA_SIG *);

int numbers_go_with_the_signature_ok(void)
{
    DSA_SIG *signature = DSA_SIG_new();
    if (!signature)
        return -1;
    signature->r = BN_new();
    signature->s = BN_new();
    if (!signature->r || !signature->s) {
        DSA_SIG_free(signature);
        return -1;
    }
    DSA_SIG_free(signature);
    return 0;
}

int signature_bad(int few)
{
    DSA_SIG *signature = DSA_SIG_new(); //~ memory-leak "signature"
    if (!signature)
        return -1;
    signature->r = BN_new(); //~ memory-leak "signature->r"
    if (few)
        return -2;
    DSA_SIG_free(signature);
    return 0;
}

struct pair {
    BIGNUM *first;
};

int number_in_a_plain_block_bad(void)
{
    struct pair *pair = CRYPTO_malloc(sizeof *pair, "file", 1);
    if (!pair)
        return -1;
    pair->first = BN_new(); //~ memory-leak
    CRYPTO_free(pair);
    return 0;
}
