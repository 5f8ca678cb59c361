#include "digest.h"

#include <stdio.h>

#include <openssl/evp.h>

bool digest_id(const void *body, size_t size, char out[DIGEST_ID_SIZE]) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_size;
    if (!EVP_Digest(size ? body : "", size, digest, &digest_size, EVP_sha256(), NULL)) return false;
    for (size_t i = 0; i < DIGEST_ID_SIZE / 2; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", digest[i]);
    return true;
}
