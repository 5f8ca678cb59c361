#include "store/spool.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/url.h"
#include "core/limits.h"
#include "core/parcel.h"
#include "core/step.h"
#include "store/around.h"

/* The jobs of the file: tried again for ever, if need be. */
static const struct rv_policy file_policy = {
    .attempts_max = RV_ATTEMPTS_MAX,
    .backoff = REEVE_EXPONENTIAL,
    .backoff_ms = 1000,
    .backoff_ms_max = 60000,
};

struct rv_spool {
    struct rv_around around;
    struct rv_store_config config; /* of the file */
    int64_t max;
    char queue[REEVE_NAME_SIZE]; /* of our store in the file */
    char target[1024];           /* our store, for people */
    atomic_bool keeping;         /* something waits: what comes now waits behind it */
    pthread_mutex_t lock;        /* guards the rest; held while the file is opened */
    struct rv_store *file;       /* NULL: not opened yet */
    char path[];
};

static struct rv_spool *spool_of(struct rv_store *s) {
    return (struct rv_spool *)(void *)s; /* the store is the head of all three */
}

struct rv_store *rv_spool_store(struct rv_spool *spool) {
    return &spool->around.base;
}

struct rv_store *rv_spool_target(struct rv_spool *spool) {
    return spool->around.inner;
}

const char *rv_spool_queue(const struct rv_spool *spool) {
    return spool->queue;
}

const char *rv_spool_path(const struct rv_spool *spool) {
    return spool->path;
}

void rv_spool_emptied(struct rv_spool *spool) {
    if (!atomic_exchange(&spool->keeping, false)) return;
    rv_log(spool->config.log, REEVE_LOG_WARN, "spool.emptied", "path=%s", spool->path);
}

/* ---- the file ---- */

/* The bound is written down in the file, if it is not there yet. */
static int set_bound(struct rv_spool *spool, struct rv_store *file, struct rv_error *err) {
    struct reeve_queue now = {0};
    int rc = rv_store_stats(file, spool->queue, &now, err);
    if (rc && rc != REEVE_ENOENT) return rc;
    if (now.max_length == spool->max) return 0;
    struct reeve_queue_settings bound = {.size = sizeof bound, .max_length = spool->max};
    return rv_store_set(file, spool->queue, &bound, err);
}

static int open_file(struct rv_spool *spool, struct rv_error *err) {
    struct rv_store *file;
    size_t size = strlen("sqlite:") + strlen(spool->path) + 1;
    char *url = malloc(size);
    if (!url) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    (void)snprintf(url, size, "sqlite:%s", spool->path);
    int rc = rv_store_open(&file, url, &spool->config, err);
    free(url);
    if (rc) return rc;
    rc = set_bound(spool, file, err);
    if (rc)
        rv_store_close(file);
    else
        spool->file = file;
    return rc;
}

int rv_spool_file(struct rv_spool *spool, struct rv_store **out, struct rv_error *err) {
    (void)pthread_mutex_lock(&spool->lock);
    int rc = spool->file ? 0 : open_file(spool, err);
    *out = spool->file;
    (void)pthread_mutex_unlock(&spool->lock);
    if (rc) (void)rv_error_context(err, "the spool");
    return rc;
}

/* ---- keeping ---- */

/* Pushes as they stand in the file. */
struct batch {
    size_t count;
    struct rv_new_job *jobs;
    struct rv_pushed *outs;
    size_t *places; /* among the caller's jobs */
    struct rv_buf *parcels;
    char (*ids)[17]; /* the nonce, so that a repeat is known here too */
};

static int batch_init(struct batch *batch, size_t count) {
    *batch = (struct batch){
        .jobs = calloc(count, sizeof *batch->jobs),
        .outs = calloc(count, sizeof *batch->outs),
        .places = calloc(count, sizeof *batch->places),
        .parcels = calloc(count, sizeof *batch->parcels),
        .ids = calloc(count, sizeof *batch->ids),
    };
    bool all = batch->jobs && batch->outs && batch->places && batch->parcels && batch->ids;
    return all ? 0 : REEVE_ENOMEM;
}

static void batch_release(struct batch *batch) {
    for (size_t i = 0; batch->parcels && i < batch->count; i++)
        rv_buf_release(&batch->parcels[i]);
    free(batch->jobs);
    free(batch->outs);
    free(batch->places);
    free(batch->parcels);
    free(batch->ids);
}

static int batch_add(struct batch *batch, const struct rv_spool *spool, const char *queue,
                     const struct rv_new_job *job, size_t place) {
    size_t at = batch->count++;
    int64_t now_ms = rv_clock_wall_ms(spool->config.clock);
    struct rv_parcel parcel = {.job = *job, .target = spool->target, .at_ms = now_ms};
    parcel.job.queue = queue;
    if (job->delay_ms) parcel.job.run_at_ms = rv_time_add(now_ms, job->delay_ms);
    int rc = rv_parcel_pack(&parcel, &batch->parcels[at]);
    (void)snprintf(batch->ids[at], sizeof batch->ids[at], "%016" PRIx64, job->nonce);
    batch->places[at] = place;
    batch->jobs[at] = (struct rv_new_job){
        .queue = spool->queue,
        .kind = "push",
        .id = batch->ids[at],
        .nonce = job->nonce,
        .body = {batch->parcels[at].data, batch->parcels[at].size},
        .priority = job->priority,
        .policy = file_policy,
    };
    return rc;
}

/* As many as were kept are answered; the rest stay as they are. */
static int keep_batch(struct rv_spool *spool, struct batch *batch, struct rv_pushed *outs,
                      struct rv_error *err) {
    struct rv_store *file;
    int rc = rv_spool_file(spool, &file, err);
    for (size_t from = 0, count; !rc && from < batch->count; from += count) {
        count = rv_step_size(batch->jobs + from, batch->count - from, rv_store_push_step(file));
        rc = rv_store_push(file, spool->queue, batch->jobs + from, count, batch->outs + from, err);
        for (size_t i = from; !rc && i < from + count; i++) {
            int refused = batch->outs[i].error;
            outs[batch->places[i]] = refused ? (struct rv_pushed){.error = refused}
                                             : (struct rv_pushed){.status = REEVE_SPOOLED};
        }
    }
    return rc;
}

static void begin_keeping(struct rv_spool *spool, const struct rv_error *why) {
    char text[RV_QUOTED_SIZE], path[RV_QUOTED_SIZE];
    if (atomic_exchange(&spool->keeping, true)) return;
    rv_log(spool->config.log, REEVE_LOG_WARN, "spool.keeping", "path=%s text=%s",
           rv_log_quote(path, spool->path), rv_log_quote(text, why->text));
}

static bool is_away(int rc) {
    return rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE;
}

/* What is unsure stays so if it could not be kept: a spool that is full changes nothing of that. */
static void answer_full(struct rv_spool *spool, const int *before, struct rv_pushed *outs,
                        size_t count, struct rv_error *err) {
    for (size_t i = 0; i < count; i++) {
        if (outs[i].error != REEVE_EFULL) continue;
        if (before[i] == REEVE_EUNSURE) outs[i].error = REEVE_EUNSURE;
        (void)rv_fail(err, outs[i].error,
                      "the store is away, and the spool %s is full: %" PRId64 " pushes wait in it",
                      spool->path, spool->max);
    }
}

static bool any_kept(const struct rv_pushed *outs, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (outs[i].status == REEVE_SPOOLED) return true;
    return false;
}

/* outs has an error of is_away() for each that is to be kept. *why: the store's; and what kept us
 * from keeping it. */
static void keep(struct rv_spool *spool, const char *queue, const struct rv_new_job *jobs,
                 size_t count, struct rv_pushed *outs, struct rv_error *why) {
    struct rv_error err = {0};
    struct batch batch;
    int *before = calloc(count, sizeof *before);
    int rc = batch_init(&batch, count);
    if (!before) rc = REEVE_ENOMEM;
    for (size_t i = 0; !rc && i < count; i++) {
        before[i] = outs[i].error;
        if (is_away(outs[i].error)) rc = batch_add(&batch, spool, queue, &jobs[i], i);
    }
    if (rc) (void)rv_fail(&err, rc, "no memory to keep the push");
    if (!rc) rc = keep_batch(spool, &batch, outs, &err);
    if (any_kept(outs, count)) begin_keeping(spool, why);
    if (rc)
        (void)rv_error_context(why, "%s; and the store", err.text);
    else
        answer_full(spool, before, outs, count, why);
    batch_release(&batch);
    free(before);
}

/* ---- pushing ---- */

/* How the step went for each of them: rc is of all. */
static void spread(struct rv_pushed *outs, size_t count, int rc) {
    for (size_t i = 0; i < count; i++)
        outs[i] = (struct rv_pushed){.error = rc};
}

/* An answer that was lost is asked for once more: a line that was cut is no outage. */
static int push_inner(struct rv_spool *spool, const char *queue, const struct rv_new_job *jobs,
                      size_t count, int64_t timeout_ms, struct rv_pushed *outs,
                      struct rv_error *err) {
    struct rv_error again = {0};
    struct rv_store *inner = spool->around.inner;
    int rc = rv_store_push_within(inner, queue, jobs, count, timeout_ms, outs, err);
    if (rc != REEVE_EUNSURE) return rc;
    if (!rv_store_push_within(inner, queue, jobs, count, timeout_ms, outs, &again)) return 0;
    spread(outs, count, REEVE_EUNSURE);
    return REEVE_EUNSURE;
}

static bool any_away(const struct rv_pushed *outs, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_away(outs[i].error)) return true;
    return false;
}

/* What comes of all of them, if it is the same: else each has its answer. */
static int result(const struct rv_pushed *outs, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (outs[i].error != outs->error) return 0;
    return outs->error;
}

static int spool_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs,
                      size_t count, int64_t timeout_ms, struct rv_pushed *outs,
                      struct rv_error *err) {
    struct rv_spool *spool = spool_of(s);
    struct rv_error why = {0};
    int rc;
    if (atomic_load(&spool->keeping)) {
        rc = rv_fail(&why, REEVE_EUNREACHABLE, "earlier pushes wait to be forwarded");
        spread(outs, count, rc);
    } else {
        rc = push_inner(spool, queue, jobs, count, timeout_ms, outs, &why);
    }
    if (any_away(outs, count)) {
        keep(spool, queue, jobs, count, outs, &why);
        rc = result(outs, count);
    }
    if (rc) (void)rv_fail(err, rc, "%s", why.text);
    return rc;
}

/* ---- opening ---- */

static void spool_close(struct rv_store *s) {
    struct rv_spool *spool = spool_of(s);
    rv_store_close(spool->around.inner);
    rv_store_close(spool->file);
    (void)pthread_mutex_destroy(&spool->lock);
    free(spool);
}

/* FNV-1a, from a start of its own for each half of the name. */
static uint64_t hash(uint64_t from, const char *text) {
    uint64_t value = from ^ UINT64_C(14695981039346656037);
    for (const unsigned char *c = (const void *)text; *c; c++)
        value = (value ^ *c) * UINT64_C(1099511628211);
    return value;
}

/* The store is known by its url without the password, which may change, and by the space in it. */
static int name_target(struct rv_spool *spool, const struct rv_spool_options *options,
                       struct rv_error *err) {
    char *shown = rv_url_redact(options->url);
    if (!shown) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    uint64_t halves[2];
    for (unsigned i = 0; i < 2; i++)
        halves[i] = hash(hash(i + 1, shown), options->config->space);
    (void)snprintf(spool->queue, sizeof spool->queue, "to-%016" PRIx64 "%016" PRIx64, halves[0],
                   halves[1]);
    (void)snprintf(spool->target, sizeof spool->target, "%s %s", shown, options->config->space);
    free(shown);
    return 0;
}

static int check_path(const char *path, struct rv_error *err) {
    if (!*path) return rv_fail(err, REEVE_EINVAL, "the spool names no file");
    if (strstr(path, "://") || !strncmp(path, "sqlite:", 7))
        return rv_fail(err, REEVE_EINVAL, "the spool is a url: expected the path of a file");
    if (strchr(path, '?'))
        return rv_fail(err, REEVE_EINVAL, "the spool '%s': expected a path without '?'", path);
    return 0;
}

/* What can be mended while pushes still get through is only said. */
static int meet_file(struct rv_spool *spool, struct rv_error *err) {
    struct rv_store *file;
    char text[RV_QUOTED_SIZE];
    int rc = rv_spool_file(spool, &file, err);
    if (rc != REEVE_EUNREACHABLE) return rc;
    rv_log(spool->config.log, REEVE_LOG_ERROR, "spool.away", "text=%s",
           rv_log_quote(text, err->text));
    return 0;
}

static int create(struct rv_spool **out, struct rv_store *inner,
                  const struct rv_spool_options *options, struct rv_error *err) {
    size_t size = strlen(options->path) + 1;
    struct rv_spool *spool = calloc(1, sizeof *spool + size);
    if (!spool || pthread_mutex_init(&spool->lock, NULL)) {
        free(spool);
        return rv_fail(err, REEVE_ENOMEM, "no memory for a spool");
    }
    rv_around_init(&spool->around, inner);
    spool->around.ops.push = spool_push;
    spool->around.ops.close = spool_close;
    spool->config = *options->config;
    spool->config.space = "spool";
    spool->config.make_folders = true;
    spool->max = options->max;
    memcpy(spool->path, options->path, size);
    *out = spool;
    return 0;
}

int rv_spool_open(struct rv_spool **out, struct rv_store *inner,
                  const struct rv_spool_options *options, struct rv_error *err) {
    int rc = check_path(options->path, err);
    if (!rc) rc = create(out, inner, options, err);
    if (rc) return rc;
    rc = name_target(*out, options, err);
    if (!rc) rc = meet_file(*out, err);
    if (!rc) return 0;
    (*out)->around.inner = NULL; /* it is still the caller's */
    spool_close(rv_spool_store(*out));
    *out = NULL;
    return rc;
}
