#include "core/parcel.h"

#include "core/limits.h"

enum { VERSION = 1 };

static void add_policy(struct rv_buf *out, const struct rv_policy *policy) {
    (void)rv_buf_add_u32(out, (uint32_t)policy->attempts_max);
    (void)rv_buf_add_u8(out, (uint8_t)policy->backoff);
    (void)rv_buf_add_u64(out, (uint64_t)policy->backoff_ms);
    (void)rv_buf_add_u64(out, (uint64_t)policy->backoff_ms_max);
    (void)rv_buf_add_u64(out, (uint64_t)policy->timeout_ms);
    (void)rv_buf_add_u64(out, (uint64_t)policy->keep_ms);
}

int rv_parcel_pack(const struct rv_parcel *parcel, struct rv_buf *out) {
    const struct rv_new_job *job = &parcel->job;
    rv_buf_init(out, RV_BODY_MAX + RV_PARCEL_MAX);
    (void)rv_buf_add_u8(out, VERSION);
    (void)rv_buf_add_string(out, parcel->target);
    (void)rv_buf_add_u64(out, (uint64_t)parcel->at_ms);
    (void)rv_buf_add_string(out, job->queue);
    (void)rv_buf_add_string(out, job->kind);
    (void)rv_buf_add_string(out, job->id);
    (void)rv_buf_add_u64(out, job->nonce);
    (void)rv_buf_add_u8(out, (uint8_t)(job->priority - REEVE_PRIORITY_MIN));
    (void)rv_buf_add_u64(out, (uint64_t)job->run_at_ms);
    add_policy(out, &job->policy);
    (void)rv_buf_add_sized(out, job->body.data, job->body.size);
    return out->error;
}

static void read_policy(struct rv_reader *reader, struct rv_policy *out) {
    out->attempts_max = (int)rv_read_u32(reader);
    out->backoff = (enum reeve_backoff)rv_read_u8(reader);
    out->backoff_ms = (int64_t)rv_read_u64(reader);
    out->backoff_ms_max = (int64_t)rv_read_u64(reader);
    out->timeout_ms = (int64_t)rv_read_u64(reader);
    out->keep_ms = (int64_t)rv_read_u64(reader);
}

int rv_parcel_read(struct rv_bytes bytes, struct rv_parcel *out, struct rv_error *err) {
    struct rv_reader reader;
    rv_reader_init(&reader, bytes);
    *out = (struct rv_parcel){0};
    uint8_t version = rv_read_u8(&reader);
    if (!reader.failed && version != VERSION)
        return rv_fail(err, REEVE_ECORRUPT, "a spooled push of version %u: this is version %d",
                       version, VERSION);
    out->target = rv_read_string(&reader);
    out->at_ms = (int64_t)rv_read_u64(&reader);
    struct rv_new_job *job = &out->job;
    job->queue = rv_read_string(&reader);
    job->kind = rv_read_string(&reader);
    job->id = rv_read_string(&reader);
    job->nonce = rv_read_u64(&reader);
    job->priority = rv_read_u8(&reader) + REEVE_PRIORITY_MIN;
    job->run_at_ms = (int64_t)rv_read_u64(&reader);
    read_policy(&reader, &job->policy);
    job->body = rv_read_sized(&reader);
    bool whole = !reader.failed && reader.at == reader.end && out->target && job->queue &&
                 job->kind && job->id;
    return whole ? 0 : rv_fail(err, REEVE_ECORRUPT, "a spooled push that cannot be read");
}
