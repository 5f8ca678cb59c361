/* Ids made of bodies. */
#ifndef CLI_DIGEST_H
#define CLI_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#define DIGEST_ID_SIZE 33

/* The first 32 hexadecimal digits of the SHA-256 of the body. false when libcrypto cannot. */
bool digest_id(const void *body, size_t size, char out[DIGEST_ID_SIZE]);

#endif
