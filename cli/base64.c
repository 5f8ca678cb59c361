#include "base64.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

char *base64_encode(const void *bytes, size_t size) {
    if (size > INT_MAX / 2) return NULL;
    char *text = malloc(4 * (size / 3 + 1) + 1);
    if (!text) return NULL;
    (void)EVP_EncodeBlock((unsigned char *)text, bytes, (int)size);
    return text;
}

/* libcrypto would skip blanks and count the padding as bytes. */
static size_t padding(const char *text, size_t size) {
    return size < 2 ? 0 : (size_t)(text[size - 1] == '=') + (text[size - 2] == '=');
}

void *base64_decode(const char *text, size_t size, size_t *out) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t padded = padding(text, size);
    if (size % 4 || size > INT_MAX || strspn(text, letters) != size - padded) return NULL;
    unsigned char *bytes = malloc(size / 4 * 3 + 1);
    if (!bytes) return NULL;
    int decoded = size ? EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)size) : 0;
    if (decoded < 0) {
        free(bytes);
        return NULL;
    }
    *out = (size_t)decoded - padded;
    return bytes;
}
