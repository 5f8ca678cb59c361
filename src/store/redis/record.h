/* Records as C packs and shows them; lua/common.lua has their layout. */
#ifndef RV_STORE_REDIS_RECORD_H
#define RV_STORE_REDIS_RECORD_H

#include <hiredis/hiredis.h>

#include "base/buf.h"
#include "core/check.h"

enum {
    RV_RD_LEASE_SIZE = 15, /* holder and token, as a record and the name of a claim have them */
    RV_RD_GIVEN_MAX = 1024,
};

/* ---- new jobs ---- */
bool rv_rd_is_large(size_t size); /* a body or result that lies in a hash of its own */
unsigned rv_rd_record_level(const struct rv_new_job *job);
unsigned rv_rd_record_flags(const struct rv_new_job *job);
/* Appends what the record says as pushed, from its level on: at most RV_RD_GIVEN_MAX bytes. flags:
 * as rv_rd_record_flags() has them. */
void rv_rd_record_pack(struct rv_buf *buf, const struct rv_new_job *job, unsigned flags);

/* ---- leases ---- */
void rv_rd_lease_pack(unsigned char *out, uint64_t holder, uint64_t token);
struct rv_rd_args;
/* The same as an argument. */
void rv_rd_args_add_lease(struct rv_rd_args *args, uint64_t holder, uint64_t token);

/* ---- shown ---- */
/* A record, and what of it lies elsewhere (lua/show.lua); data NULL: it was not told. Notes are a
 * byte of progress, 255 for none, then lines that each end with a NUL. */
struct rv_rd_shown {
    const char *id;
    struct rv_bytes record, body, result, notes, claim;
    uint64_t holder; /* out */
};

/* The record as one block. REEVE_ECORRUPT if it cannot be read. */
int rv_rd_record_show(const char *queue, struct rv_rd_shown *shown, struct reeve_job **out,
                      struct rv_error *err);

/* Several of them: arrays of ids, of records, and of parts. Shows the i-th to out[i], and its
 * holder to holders[i] unless that is NULL. out has room for as many as there are ids, and is NULL
 * from where it failed. */
int rv_rd_records_show(const char *queue, const redisReply *ids, const redisReply *records,
                       const redisReply *parts, struct reeve_job **out, uint64_t *holders,
                       struct rv_error *err);

#endif
