// What OpenSSL takes over by a command (`SSL_CTX_add0_chain_cert`, `DSA_set0_key`) is no longer the caller's; what it copies or counts is.
#include "stubs.h"

typedef struct ssl_ctx_st SSL_CTX;
typedef struct x509_st X509;
typedef struct bio_st BIO;
typedef struct bignum_st BIGNUM;
typedef struct dsa_st DSA;
X509 *PEM_read_bio_X509(BIO *, X509 **, void *, void *);
void X509_free(X509 *);
long SSL_CTX_ctrl(SSL_CTX *, int, long, void *);
BIGNUM *BN_dup(const BIGNUM *);
void BN_clear_free(BIGNUM *);
int DSA_set0_key(DSA *, BIGNUM *, BIGNUM *);

int added_without_a_count_ok(SSL_CTX *context, BIO *bio)
{
    X509 *certificate = PEM_read_bio_X509(bio, 0, 0, 0);
    if (!certificate)
        return 0;
    if (!SSL_CTX_ctrl(context, 89, 0, certificate)) {
        X509_free(certificate);
        return 0;
    }
    return 1;
}

int added_with_a_count_bad(SSL_CTX *context, BIO *bio)
{
    X509 *certificate = PEM_read_bio_X509(bio, 0, 0, 0); //~ memory-leak "certificate"
    if (!certificate)
        return 0;
    if (!SSL_CTX_ctrl(context, 89, 1, certificate)) {
        X509_free(certificate);
        return 0;
    }
    return 1;
}

int key_taken_over_ok(DSA *to, const BIGNUM *from)
{
    BIGNUM *key = BN_dup(from);
    if (!key)
        return -1;
    if (!DSA_set0_key(to, key, 0)) {
        BN_clear_free(key);
        return -1;
    }
    return 0;
}

int key_refused_bad(DSA *to, const BIGNUM *from)
{
    BIGNUM *key = BN_dup(from); //~ memory-leak "key"
    if (!key)
        return -1;
    if (!DSA_set0_key(to, key, 0))
        return -1;
    return 0;
}
