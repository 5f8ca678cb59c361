/* Bytes that are not text, in JSON. Both return a block to free, or NULL. */
#ifndef CLI_BASE64_H
#define CLI_BASE64_H

#include <stddef.h>

char *base64_encode(const void *bytes, size_t size); /* NULL: out of memory */
/* NULL: not base64, or out of memory. */
void *base64_decode(const char *text, size_t size, size_t *out);

#endif
