#include "store/redis/record.h"

#include <stdlib.h>
#include <string.h>

#include "core/failure.h"
#include "core/history.h"
#include "core/job.h"
#include "store/redis/script.h"

enum {
    VERSION = 1,
    INLINE_MAX = 512, /* larger ones would be copied by every transition of their job */
    TIME_SIZE = 6,
    PLACE_SIZE = 6,
    POLICY_SIZE = 28,
    NO_PROGRESS = 255,
};

/* flags of a record, as in lua/common.lua */
enum { LARGE_BODY = 1, LARGE_RESULT = 2, CANCELLING = 8, KIND = 16, POLICY = 32, PAST = 64 };
enum { WITH_WORKER = 1, WITH_ERROR = 2, WITH_RESULT = 4 }; /* parts of its past */

static const char default_kind[] = "default";

static const struct rv_policy default_policy = {
    .attempts_max = RV_ATTEMPTS_DEFAULT,
    .backoff = REEVE_EXPONENTIAL,
    .backoff_ms = RV_BACKOFF_MS_DEFAULT,
    .backoff_ms_max = RV_BACKOFF_MS_MAX_DEFAULT,
    .keep_ms = RV_KEEP_MS_DEFAULT,
};

/* ---- new jobs ---- */
bool rv_rd_is_large(size_t size) {
    return size > INLINE_MAX;
}

static bool is_default(const struct rv_policy *policy) {
    const struct rv_policy *usual = &default_policy;
    return policy->attempts_max == usual->attempts_max && policy->backoff == usual->backoff &&
           policy->backoff_ms == usual->backoff_ms &&
           policy->backoff_ms_max == usual->backoff_ms_max &&
           policy->timeout_ms == usual->timeout_ms && policy->keep_ms == usual->keep_ms;
}

unsigned rv_rd_record_level(const struct rv_new_job *job) {
    return (unsigned)(job->priority - REEVE_PRIORITY_MIN);
}

unsigned rv_rd_record_flags(const struct rv_new_job *job) {
    return (rv_rd_is_large(job->body.size) ? LARGE_BODY : 0) |
           (strcmp(job->kind, default_kind) != 0 ? KIND : 0) |
           (is_default(&job->policy) ? 0 : POLICY);
}

/* Each writes at a place that has room, and returns where that ends. */
static unsigned char *put(unsigned char *at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        at[i] = (unsigned char)(value >> (8 * (size - 1 - i)));
    return at + size;
}

static unsigned char *put_bytes(unsigned char *at, const void *data, size_t size) {
    if (size) memcpy(at, data, size);
    return at + size;
}

static unsigned char *put_policy(unsigned char *at, const struct rv_policy *policy) {
    at = put(at, (uint64_t)policy->keep_ms, TIME_SIZE);
    at = put(at, (uint64_t)policy->timeout_ms, TIME_SIZE);
    at = put(at, (uint64_t)policy->backoff_ms, TIME_SIZE);
    at = put(at, (uint64_t)policy->backoff_ms_max, TIME_SIZE);
    at = put(at, (uint64_t)policy->attempts_max, 3);
    return put(at, (uint64_t)policy->backoff, 1);
}

static unsigned char *put_kind(unsigned char *at, const char *kind) {
    size_t size = strlen(kind);
    return put_bytes(put(at, size, 1), kind, size);
}

static unsigned char *put_given(unsigned char *at, const struct rv_new_job *job, unsigned flags) {
    at = put(at, job->nonce, 8);
    if (flags & POLICY) at = put_policy(at, &job->policy);
    if (flags & KIND) at = put_kind(at, job->kind);
    if (flags & LARGE_BODY) return put(at, job->body.size, 4);
    return put_bytes(at, job->body.data, job->body.size);
}

static size_t given_size(const struct rv_new_job *job, unsigned flags) {
    return 8 + (flags & POLICY ? POLICY_SIZE : 0) + (flags & KIND ? 1 + strlen(job->kind) : 0) +
           (flags & LARGE_BODY ? 4 : job->body.size);
}

void rv_rd_record_pack(struct rv_buf *buf, const struct rv_new_job *job, unsigned flags) {
    size_t size = given_size(job, flags);
    unsigned char *at = rv_buf_room(buf, 4 + size);
    if (!at) return;
    at = put(at, rv_rd_record_level(job), 1);
    at = put(at, flags, 1);
    at = put(at, size, 2);
    rv_buf_fill(buf, put_given(at, job, flags));
}

/* ---- leases ---- */
void rv_rd_lease_pack(unsigned char *out, uint64_t holder, uint64_t token) {
    if (token >> 56) holder = token = UINT64_MAX; /* no lease has such a token: nor is this one's */
    (void)put(put(out, holder, 8), token, 7);
}

void rv_rd_args_add_lease(struct rv_rd_args *args, uint64_t holder, uint64_t token) {
    unsigned char lease[RV_RD_LEASE_SIZE];
    size_t from = args->bytes.size;
    rv_rd_lease_pack(lease, holder, token);
    (void)rv_buf_add(&args->bytes, lease, sizeof lease);
    rv_rd_args_add_packed(args, from);
}

/* ---- shown ---- */
/* A record while it is read: what it says, and room for texts to end with a NUL. */
struct view {
    struct reeve_job job;
    unsigned flags;
    uint64_t holder;
    struct reeve_failure error;
    struct rv_bytes history;
    char kind[REEVE_NAME_SIZE];
    char worker[RV_WORKER_NAME_MAX + 1];
    const char *lines[RV_LOG_LINES_MAX];
};

static int64_t read_time(struct rv_reader *reader) {
    return (int64_t)rv_read_uint(reader, TIME_SIZE);
}

/* Its size stands before it. */
static void read_short_text(struct rv_reader *reader, char *out, size_t room) {
    rv_read_text(reader, rv_read_u8(reader), out, room);
}

static void read_policy(struct rv_reader *reader, struct rv_policy *policy) {
    policy->keep_ms = read_time(reader);
    policy->timeout_ms = read_time(reader);
    policy->backoff_ms = read_time(reader);
    policy->backoff_ms_max = read_time(reader);
    policy->attempts_max = (int)rv_read_uint(reader, 3);
    policy->backoff = (enum reeve_backoff)rv_read_u8(reader);
}

static void read_given(struct rv_bytes given, const struct rv_bytes *body, struct view *view) {
    struct reeve_job *job = &view->job;
    struct rv_policy policy = default_policy;
    struct rv_reader reader;
    rv_reader_init(&reader, given);
    (void)rv_read_u64(&reader); /* the nonce */
    if (view->flags & POLICY) read_policy(&reader, &policy);
    job->keep_ms = policy.keep_ms;
    job->timeout_ms = policy.timeout_ms;
    job->backoff_ms = policy.backoff_ms;
    job->backoff_ms_max = policy.backoff_ms_max;
    job->attempts_max = policy.attempts_max;
    job->backoff = policy.backoff;
    job->kind = default_kind;
    if (view->flags & KIND) {
        read_short_text(&reader, view->kind, sizeof view->kind);
        job->kind = view->kind;
    }
    struct rv_bytes rest = rv_read_bytes(&reader, (size_t)(reader.end - reader.at));
    job->body = view->flags & LARGE_BODY ? body->data : rest.data;
    job->body_size = view->flags & LARGE_BODY ? body->size : rest.size;
    if (reader.failed) view->job.state = 0;
}

static void read_result(struct rv_reader *reader, const struct rv_bytes *result,
                        struct view *view) {
    size_t size = rv_read_u32(reader);
    struct rv_bytes found = view->flags & LARGE_RESULT ? *result : rv_read_bytes(reader, size);
    view->job.result = found.data && found.size ? found.data : "";
    view->job.result_size = found.size;
}

static void read_past(struct rv_reader *reader, const struct rv_bytes *result, struct view *view) {
    struct reeve_job *job = &view->job;
    (void)read_time(reader); /* when it expires */
    job->started_at_ms = read_time(reader);
    job->ended_at_ms = read_time(reader);
    unsigned parts = rv_read_u8(reader);
    if (parts & WITH_WORKER) {
        read_short_text(reader, view->worker, sizeof view->worker);
        job->worker = view->worker;
    }
    if (parts & WITH_ERROR) {
        if (!rv_failure_read(rv_read_sized(reader), &view->error)) reader->failed = 1;
        job->error = &view->error;
    }
    if (parts & WITH_RESULT) read_result(reader, result, view);
    view->history = rv_read_bytes(reader, (size_t)(reader->end - reader->at));
}

/* Of a RUNNING one, instead of what its past says. One whose claim has not marked it is READY by
 * its record: it runs for the first time. */
static bool read_claim(struct rv_bytes claim, struct view *view) {
    struct reeve_job *job = &view->job;
    struct rv_reader reader;
    rv_reader_init(&reader, claim);
    job->lease_until_ms = read_time(&reader);
    view->holder = rv_read_u64(&reader);
    job->token = rv_read_uint(&reader, 7);
    if (job->state == REEVE_READY) job->attempt = 1;
    job->state = REEVE_RUNNING;
    size_t size = rv_read_u8(&reader);
    job->started_at_ms = read_time(&reader);
    rv_read_text(&reader, size, view->worker, sizeof view->worker);
    job->worker = view->worker;
    return !reader.failed;
}

static void read_notes(struct rv_bytes notes, struct view *view) {
    const char *at = notes.data, *end = at + notes.size;
    struct reeve_job *job = &view->job;
    job->progress = (unsigned char)*at == NO_PROGRESS ? REEVE_NONE : (unsigned char)*at;
    job->log = view->lines;
    for (at++; at < end && job->log_count < RV_LOG_LINES_MAX; at += strlen(at) + 1)
        view->lines[job->log_count++] = at; /* a reply ends with a NUL of its own */
}

/* What the first claim of a job appends to its record. */
static void read_first_claim(struct rv_reader *reader, struct view *view) {
    view->job.state = (enum reeve_state)rv_read_u8(reader);
    view->job.attempt = (int)rv_read_uint(reader, 3);
    view->holder = rv_read_u64(reader);
    view->job.token = rv_read_uint(reader, 7);
}

static bool read_record(const struct rv_rd_shown *shown, struct view *view) {
    struct reeve_job *job = &view->job;
    struct rv_reader reader;
    rv_reader_init(&reader, shown->record);
    if (rv_read_u8(&reader) != VERSION) return false;
    job->state = (enum reeve_state)rv_read_u8(&reader);
    job->attempt = (int)rv_read_uint(&reader, 3);
    view->holder = rv_read_u64(&reader);
    job->token = rv_read_uint(&reader, 7);
    (void)rv_read_bytes(&reader, (size_t)2 * PLACE_SIZE); /* seq, number */
    job->run_at_ms = read_time(&reader);
    job->created_at_ms = read_time(&reader);
    job->priority = (int)rv_read_u8(&reader) + REEVE_PRIORITY_MIN;
    view->flags = rv_read_u8(&reader);
    job->cancelling = view->flags & CANCELLING;
    size_t size = rv_read_uint(&reader, 2);
    read_given(rv_read_bytes(&reader, size), &shown->body, view);
    if (view->flags & PAST)
        read_past(&reader, &shown->result, view);
    else if (reader.at < reader.end)
        read_first_claim(&reader, view);
    return !reader.failed && job->state >= REEVE_DELAYED && job->state <= REEVE_CANCELLED;
}

/* view is complete but for its history. */
static int pack(struct view *view, struct reeve_job **out, struct rv_error *err) {
    struct rv_history *history = NULL;
    int rc = rv_history_read(view->history, &history);
    if (rc) return rv_fail(err, rc, "the history of job '%s' cannot be read", view->job.id);
    if (history) {
        view->job.history = history->attempts;
        view->job.history_count = history->count;
    }
    *out = rv_job_pack(&view->job);
    free(history);
    return *out ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
}

int rv_rd_record_show(const char *queue, struct rv_rd_shown *shown, struct reeve_job **out,
                      struct rv_error *err) {
    struct view view = {.job = {.queue = queue, .id = shown->id, .progress = REEVE_NONE}};
    bool whole = read_record(shown, &view);
    if (whole && (view.job.state == REEVE_RUNNING || shown->claim.size))
        whole = read_claim(shown->claim, &view);
    if (whole && (view.flags & LARGE_BODY) && !shown->body.data) whole = false;
    if (!whole)
        return rv_fail(err, REEVE_ECORRUPT, "queue %s: the record of job '%s' cannot be read",
                       queue, shown->id);
    if (shown->notes.size) read_notes(shown->notes, &view);
    shown->holder = view.holder;
    return pack(&view, out, err);
}

/* ---- several ---- */
/* Takes the parts of index from *at on. */
static bool take_parts(const redisReply *parts, size_t *at, long long index,
                       struct rv_rd_shown *shown) {
    for (; *at + 3 <= parts->elements && parts->element[*at]->integer == index; *at += 3) {
        struct rv_bytes letter = rv_rd_bytes(parts->element[*at + 1]);
        struct rv_bytes bytes = rv_rd_bytes(parts->element[*at + 2]);
        switch (letter.size ? *(const char *)letter.data : '\0') {
        case 'b':
            shown->body = bytes;
            break;
        case 'r':
            shown->result = bytes;
            break;
        case 'n':
            shown->notes = bytes;
            break;
        case 'c':
            shown->claim = bytes;
            break;
        default:
            return false;
        }
    }
    return true;
}

int rv_rd_records_show(const char *queue, const redisReply *ids, const redisReply *records,
                       const redisReply *parts, struct reeve_job **out, uint64_t *holders,
                       struct rv_error *err) {
    if (!rv_rd_is_array(records, ids->elements) || parts->type != REDIS_REPLY_ARRAY)
        return rv_rd_fail_answer(queue, err);
    struct rv_rd_shown common = {0};
    size_t at = 0;
    if (!take_parts(parts, &at, 0, &common)) return rv_rd_fail_answer(queue, err);
    int rc = 0;
    for (size_t i = 0; !rc && i < ids->elements; i++) {
        struct rv_rd_shown shown = common;
        shown.id = rv_rd_bytes(ids->element[i]).data;
        shown.record = rv_rd_bytes(records->element[i]);
        if (!shown.id || !take_parts(parts, &at, (long long)i + 1, &shown))
            rc = rv_rd_fail_answer(queue, err);
        else
            rc = rv_rd_record_show(queue, &shown, &out[i], err);
        if (holders) holders[i] = shown.holder;
    }
    return rc;
}
