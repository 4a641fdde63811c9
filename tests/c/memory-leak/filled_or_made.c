// Functions of the library that fill what they are given, and make something new where they are given nothing.
#include "stubs.h"

typedef struct bignum_st BIGNUM;
BIGNUM *BN_new(void);
BIGNUM *BN_bin2bn(const unsigned char *data, int size, BIGNUM *number);
void BN_free(BIGNUM *number);

struct key {
    BIGNUM *modulus;
};

// Nobody asks whether the number could be made, and who drops the result means that it was.
void fill_ok(struct key *key, const unsigned char *data, int size) {
    key->modulus = BN_new();
    BN_bin2bn(data, size, key->modulus);
}

// Nothing to fill: the result is all there is.
void made_and_dropped_bad(const unsigned char *data, int size) {
    BN_bin2bn(data, size, NULL); //~ memory-leak "the result of `BN_bin2bn` leaks: it is not stored anywhere"
}

// Who takes the result answers for it.
int made_and_forgotten_bad(struct key *key, const unsigned char *data, int size) {
    BIGNUM *number = BN_bin2bn(data, size, NULL); //~ memory-leak
    if (!number)
        return -1;
    if (data[0] & 0x80)
        return -2;
    key->modulus = number;
    return 0;
}
