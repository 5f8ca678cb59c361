/* The error of a record as the bytes that every store keeps. */
#ifndef RV_CORE_FAILURE_H
#define RV_CORE_FAILURE_H

#include <stdbool.h>

#include <reeve.h>

#include "base/buf.h"
#include "core/limits.h"

/* Enough for the largest error that is handed in. */
#define RV_FAILURE_BYTES_MAX ((size_t)2 * (RV_ERROR_DETAIL_MAX + RV_ERROR_MESSAGE_MAX))

/* Appends to buf: 0, REEVE_ENOMEM or REEVE_ETOOBIG. */
int rv_failure_write(struct rv_buf *buf, const struct reeve_failure *error);
/* Borrowed from bytes. false if they are not an error of a version known here. */
bool rv_failure_read(struct rv_bytes bytes, struct reeve_failure *out);

#endif
