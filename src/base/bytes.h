/* A borrowed run of bytes. data may be NULL only if size is 0. */
#ifndef RV_BASE_BYTES_H
#define RV_BASE_BYTES_H

#include <stddef.h>

struct rv_bytes {
    const void *data;
    size_t size;
};

#endif
