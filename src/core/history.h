/* The attempts of a job as the bytes that every store keeps: a version, then entries, oldest first.
 */
#ifndef RV_CORE_HISTORY_H
#define RV_CORE_HISTORY_H

#include <reeve.h>

#include "base/buf.h"

/* Writes the attempts (those of a record, then `last` if not NULL) into buf: at most the last
 * RV_HISTORY_MAX. buf is to be initialised with RV_HISTORY_BYTES_MAX. 0 attempts write nothing. */
int rv_history_write(struct rv_buf *buf, const struct reeve_attempt *const *attempts, size_t count,
                     const struct reeve_attempt *last);

/* What rv_history_read() gives: borrowed from the bytes, except that texts are copied to be
 * NUL-ended. One block: free() it. attempts[i] may be handed to rv_job_pack(). */
struct rv_history {
    size_t count;
    const struct reeve_attempt **attempts;
};

/* REEVE_ECORRUPT if the bytes are not a history of a version known here. *out is one block, NULL if
 * empty. */
int rv_history_read(struct rv_bytes bytes, struct rv_history **out);

#endif
