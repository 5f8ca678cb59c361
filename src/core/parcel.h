/* A push that is to be made later, as bytes: what a spool keeps of it. */
#ifndef RV_CORE_PARCEL_H
#define RV_CORE_PARCEL_H

#include "base/buf.h"
#include "core/check.h"

struct rv_parcel {
    struct rv_new_job job; /* its start, if it has one, is a time (run_at_ms), not a delay */
    const char *target;    /* the store it is for, without secrets: for people */
    int64_t at_ms;         /* when it was pushed, by the clock of this host */
};

/* 0, REEVE_ENOMEM or REEVE_ETOOBIG. *out is the caller's to release, also then. */
int rv_parcel_pack(const struct rv_parcel *parcel, struct rv_buf *out);
/* Texts and body of *out are pieces of bytes. REEVE_ECORRUPT: this is no parcel, or one of a later
 * version. Whether names and numbers are allowed is for the push to say. */
int rv_parcel_read(struct rv_bytes bytes, struct rv_parcel *out, struct rv_error *err);

#endif
