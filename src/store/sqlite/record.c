#include "store/sqlite/record.h"

#include "base/clock.h"
#include "core/failure.h"

enum {
    VERSION = 1,
    BODY_INLINE_MAX = 2048, /* half a page */
};

enum { FLAG_CANCELLING = 1, FLAG_NOTED = 2 }; /* of job.flags */

/* ---- new jobs ---- */
int64_t rv_sq_first_run_at_ms(const struct rv_new_job *job, int64_t now_ms) {
    return job->run_at_ms ? job->run_at_ms : rv_time_add(now_ms, job->delay_ms);
}

enum reeve_state rv_sq_first_state(const struct rv_new_job *job, int64_t now_ms) {
    return rv_sq_first_run_at_ms(job, now_ms) > now_ms ? REEVE_DELAYED : REEVE_READY;
}

bool rv_sq_body_is_large(size_t size) {
    return size > BODY_INLINE_MAX;
}

/* ---- blobs ---- */
static void start(struct rv_buf *buf) {
    buf->size = 0;
    (void)rv_buf_add_u8(buf, VERSION);
}

static void add_time(struct rv_buf *buf, int64_t ms) {
    (void)rv_buf_add_u64(buf, (uint64_t)ms);
}

static int64_t read_time(struct rv_reader *reader) {
    return (int64_t)rv_read_u64(reader);
}

/* Past the version. */
static struct rv_reader reader_of(struct rv_bytes bytes) {
    struct rv_reader reader;
    rv_reader_init(&reader, bytes);
    if (rv_read_u8(&reader) != VERSION) reader.failed = 1;
    return reader;
}

int rv_sq_terms_pack(struct rv_buf *buf, const struct rv_new_job *job, int64_t now_ms) {
    const struct rv_policy *policy = &job->policy;
    start(buf);
    (void)rv_buf_add_u64(buf, job->nonce);
    add_time(buf, now_ms);
    (void)rv_buf_add_u32(buf, (uint32_t)policy->attempts_max);
    (void)rv_buf_add_u8(buf, (uint8_t)policy->backoff);
    add_time(buf, policy->backoff_ms);
    add_time(buf, policy->backoff_ms_max);
    add_time(buf, policy->timeout_ms);
    add_time(buf, policy->keep_ms);
    return buf->error;
}

static bool read_terms(struct rv_bytes bytes, struct rv_sq_terms *terms) {
    struct rv_reader reader = reader_of(bytes);
    struct rv_policy *policy = &terms->policy;
    terms->nonce = rv_read_u64(&reader);
    terms->created_at_ms = read_time(&reader);
    policy->attempts_max = (int)rv_read_u32(&reader);
    policy->backoff = (enum reeve_backoff)rv_read_u8(&reader);
    policy->backoff_ms = read_time(&reader);
    policy->backoff_ms_max = read_time(&reader);
    policy->timeout_ms = read_time(&reader);
    policy->keep_ms = read_time(&reader);
    return !reader.failed;
}

int rv_sq_past_pack(struct rv_buf *buf, const struct rv_sq_past *past) {
    start(buf);
    (void)rv_buf_add_u64(buf, past->token);
    (void)rv_buf_add_u64(buf, past->holder);
    add_time(buf, past->started_at_ms);
    add_time(buf, past->ended_at_ms);
    (void)rv_buf_add_string(buf, past->worker);
    (void)rv_buf_add_sized(buf, past->history.data, past->history.size);
    return buf->error;
}

static bool read_past(struct rv_bytes bytes, struct rv_sq_past *past) {
    *past = (struct rv_sq_past){0};
    if (!bytes.size) return true; /* never held */
    struct rv_reader reader = reader_of(bytes);
    past->token = rv_read_u64(&reader);
    past->holder = rv_read_u64(&reader);
    past->started_at_ms = read_time(&reader);
    past->ended_at_ms = read_time(&reader);
    past->worker = rv_read_string(&reader);
    past->history = rv_read_sized(&reader);
    return !reader.failed;
}

/* ---- rows ---- */
enum column { /* as in sql/columns.sql */
              N,
              ID,
              STATE,
              PRIORITY,
              SEQ,
              RUN_AT,
              ATTEMPT,
              FLAGS,
              HOLDER,
              EXPIRES,
              KIND,
              TERMS,
              BODY,
              PAST,
              ERROR,
              RESULT,
};

static void read_plain(const struct rv_sq_query *query, struct rv_sq_record *record) {
    record->n = rv_sq_int(query, N);
    record->seq = rv_sq_u64(query, SEQ);
    record->holder = rv_sq_u64(query, HOLDER);
    record->expires_ms = rv_sq_int(query, EXPIRES);
    record->large = rv_sq_is_null(query, BODY);
    record->noted = rv_sq_int(query, FLAGS) & FLAG_NOTED;
    struct rv_bytes body = rv_sq_bytes(query, BODY), result = rv_sq_bytes(query, RESULT);
    bool has_result = !rv_sq_is_null(query, RESULT);
    record->job = (struct reeve_job){
        .id = rv_sq_text(query, ID),
        .kind = rv_sq_text(query, KIND),
        .state = (enum reeve_state)rv_sq_int(query, STATE),
        .priority = (int)rv_sq_int(query, PRIORITY),
        .attempt = (int)rv_sq_int(query, ATTEMPT),
        .cancelling = rv_sq_int(query, FLAGS) & FLAG_CANCELLING,
        .run_at_ms = rv_sq_int(query, RUN_AT),
        .body = body.data,
        .body_size = body.size,
        .result = has_result && !result.data ? "" : result.data,
        .result_size = result.size,
        .progress = REEVE_NONE,
    };
}

int rv_sq_record_read(const struct rv_sq_query *query, struct rv_sq_record *out,
                      struct rv_error *err) {
    read_plain(query, out);
    struct reeve_job *job = &out->job;
    bool has_error = !rv_sq_is_null(query, ERROR);
    if (!read_terms(rv_sq_bytes(query, TERMS), &out->terms) ||
        !read_past(rv_sq_bytes(query, PAST), &out->past) ||
        (has_error && !rv_failure_read(rv_sq_bytes(query, ERROR), &out->error)))
        return rv_fail(err, REEVE_ECORRUPT, "the record of job '%s' cannot be read", job->id);
    job->error = has_error ? &out->error : NULL;
    job->token = out->past.token;
    job->worker = out->past.worker;
    job->started_at_ms = out->past.started_at_ms;
    job->ended_at_ms = out->past.ended_at_ms;
    job->created_at_ms = out->terms.created_at_ms;
    job->attempts_max = out->terms.policy.attempts_max;
    job->backoff = out->terms.policy.backoff;
    job->backoff_ms = out->terms.policy.backoff_ms;
    job->backoff_ms_max = out->terms.policy.backoff_ms_max;
    job->timeout_ms = out->terms.policy.timeout_ms;
    job->keep_ms = out->terms.policy.keep_ms;
    return 0;
}
