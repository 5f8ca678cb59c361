#include "store/codec.h"

#include <stdlib.h>

#include "core/job.h"
#include "core/limits.h"
#include "store/around.h"

struct coded {
    struct rv_around around;
    struct reeve_codec codec;
};

static const struct reeve_codec *codec_of(struct rv_store *s) {
    return &((struct coded *)(void *)s)->codec; /* the store is the head of both */
}

static struct rv_store *inner_of(struct rv_store *s) {
    return ((struct coded *)(void *)s)->around.inner;
}

/* ---- in: encoding ---- */

/* *block is what to free once the bytes have been used. */
static int encode(const struct reeve_codec *codec, struct rv_bytes from, struct rv_bytes *to,
                  void **block) {
    *block = NULL;
    int rc = codec->encode(codec->arg, from.data, from.size, block, &to->size);
    if (!rc && to->size > RV_BODY_MAX) rc = REEVE_ETOOBIG;
    to->data = *block;
    return rc;
}

/* The jobs that could be encoded, and where each stood. */
struct batch {
    size_t count;
    struct rv_new_job *jobs;
    struct rv_pushed *outs;
    size_t *places;
    void **blocks; /* of all jobs, by place */
};

static int batch_init(struct batch *batch, size_t count) {
    *batch = (struct batch){.jobs = calloc(count, sizeof *batch->jobs),
                            .outs = calloc(count, sizeof *batch->outs),
                            .places = calloc(count, sizeof *batch->places),
                            .blocks = calloc(count, sizeof *batch->blocks)};
    return batch->jobs && batch->outs && batch->places && batch->blocks ? 0 : REEVE_ENOMEM;
}

static void batch_release(struct batch *batch, size_t count) {
    for (size_t i = 0; batch->blocks && i < count; i++)
        free(batch->blocks[i]);
    free(batch->jobs);
    free(batch->outs);
    free(batch->places);
    free(batch->blocks);
}

static void batch_add(struct batch *batch, const struct reeve_codec *codec,
                      const struct rv_new_job *job, size_t place, struct rv_pushed *out) {
    struct rv_new_job coded = *job;
    int rc = encode(codec, job->body, &coded.body, &batch->blocks[place]);
    if (rc) {
        *out = (struct rv_pushed){.error = rc};
        return;
    }
    batch->places[batch->count] = place;
    batch->jobs[batch->count++] = coded;
}

static void decode_job(const struct reeve_codec *codec, struct reeve_job **job);

static int codec_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs,
                      size_t count, int64_t timeout_ms, struct rv_pushed *outs,
                      struct rv_error *err) {
    const struct reeve_codec *codec = codec_of(s);
    struct batch batch;
    int rc = batch_init(&batch, count);
    if (rc) (void)rv_fail(err, rc, "no memory to encode %zu bodies", count);
    for (size_t i = 0; !rc && i < count; i++)
        batch_add(&batch, codec, &jobs[i], i, &outs[i]);
    if (!rc && batch.count)
        rc = rv_store_push_within(inner_of(s), queue, batch.jobs, batch.count, timeout_ms,
                                  batch.outs, err);
    for (size_t i = 0; !rc && i < batch.count; i++) {
        outs[batch.places[i]] = batch.outs[i];
        if (batch.outs[i].done) decode_job(codec, &outs[batch.places[i]].done);
    }
    batch_release(&batch, count);
    return rc;
}

/* ---- out: decoding ---- */

static int decode(const struct reeve_codec *codec, const void **data, size_t *size, void **block) {
    size_t decoded_size = 0;
    *block = NULL;
    int rc = codec->decode(codec->arg, *data, *size, block, &decoded_size);
    if (rc) return rc;
    *data = *block;
    *size = decoded_size;
    return 0;
}

/* Puts the decoded record in the place of the stored one. */
static void decode_job(const struct reeve_codec *codec, struct reeve_job **job) {
    struct reeve_job copy = **job;
    void *body = NULL, *result = NULL;
    int rc = decode(codec, &copy.body, &copy.body_size, &body);
    if (!rc && copy.result) rc = decode(codec, &copy.result, &copy.result_size, &result);
    static const char nothing[] = "";
    if (!rc && (*job)->result && !copy.result) copy.result = nothing; /* empty, yet a result */
    struct reeve_job *decoded = rc ? NULL : rv_job_pack(&copy);
    if (decoded) {
        free(*job);
        *job = decoded;
    } else {
        (*job)->undecodable = true;
    }
    free(body);
    free(result);
}

static int codec_read(struct rv_store *s, const char *queue, const char *id, int64_t timeout_ms,
                      struct reeve_job **out, struct rv_error *err) {
    int rc = rv_store_read_within(inner_of(s), queue, id, timeout_ms, out, err);
    if (!rc) decode_job(codec_of(s), out);
    return rc;
}

static int codec_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
                      struct rv_error *err) {
    int rc = rv_store_list(inner_of(s), query, out, err);
    for (size_t i = 0; !rc && i < out->count; i++)
        decode_job(codec_of(s), &out->jobs[i]);
    return rc;
}

static void decode_told(const struct reeve_codec *codec, struct rv_list *told) {
    for (struct rv_list *l = told->next; l != told; l = l->next) {
        struct rv_told *end = rv_container_of(l, struct rv_told, link);
        if (end->job) decode_job(codec, &end->job);
    }
}

static int codec_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
                      struct rv_error *err) {
    int rc = rv_store_wait(inner_of(s), bells, count, timeout_ms, err);
    for (size_t i = 0; i < count; i++)
        if (bells[i].told) decode_told(codec_of(s), bells[i].told);
    return rc;
}

/* What is in the list already is decoded. */
static int codec_box_attend(struct rv_store *s, struct rv_box *box, int64_t timeout_ms,
                            struct rv_list *told, struct rv_error *err) {
    struct rv_list now;
    rv_list_init(&now);
    int rc = rv_store_box_attend(inner_of(s), box, timeout_ms, &now, err);
    decode_told(codec_of(s), &now);
    for (struct rv_list *link; (link = rv_list_pop(&now)) != NULL;)
        rv_list_add_tail(told, link);
    return rc;
}

/* ---- both ways ---- */

/* Outcomes as they go to the store; the caller's own stay as they are, so that a repeat is the
 * same. */
static size_t encode_outcomes(const struct reeve_codec *codec, struct rv_exchange *exchange,
                              struct rv_outcome *coded, size_t *places, void **blocks) {
    size_t count = 0;
    for (size_t i = 0; i < exchange->outcome_count; i++) {
        struct rv_outcome *from = &exchange->outcomes[i];
        struct rv_bytes result = {0};
        int rc = 0;
        if (from->has_result)
            rc = encode(codec, (struct rv_bytes){from->result, from->result_size}, &result,
                        &blocks[i]);
        from->status = rc;
        if (rc) continue;
        places[count] = i;
        coded[count] = *from;
        if (from->has_result) {
            coded[count].result = result.data;
            coded[count].result_size = result.size;
        }
        count++;
    }
    return count;
}

static int exchange_coded(struct rv_store *s, struct rv_exchange *exchange,
                          struct rv_outcome *coded, size_t *places, void **blocks,
                          struct rv_exchanged *out, struct rv_error *err) {
    struct rv_exchange inner = *exchange;
    inner.outcomes = coded;
    inner.outcome_count = encode_outcomes(codec_of(s), exchange, coded, places, blocks);
    int rc = rv_store_exchange(inner_of(s), &inner, out, err);
    for (size_t i = 0; i < inner.outcome_count; i++)
        exchange->outcomes[places[i]].status = coded[i].status;
    for (size_t i = 0; !rc && i < out->count; i++)
        decode_job(codec_of(s), &out->jobs[i]);
    return rc;
}

static int codec_exchange(struct rv_store *s, struct rv_exchange *exchange,
                          struct rv_exchanged *out, struct rv_error *err) {
    size_t count = exchange->outcome_count ? exchange->outcome_count : 1;
    struct rv_outcome *coded = calloc(count, sizeof *coded);
    size_t *places = calloc(count, sizeof *places);
    void **blocks = calloc(count, sizeof *blocks);
    int rc = coded && places && blocks
                 ? exchange_coded(s, exchange, coded, places, blocks, out, err)
                 : rv_fail(err, REEVE_ENOMEM, "no memory to encode %zu results", count);
    for (size_t i = 0; blocks && i < count; i++)
        free(blocks[i]);
    free(coded); /* their histories are the caller's */
    free(places);
    free(blocks);
    return rc;
}

/* ---- opening ---- */

int rv_codec_open(struct rv_store **out, struct rv_store *inner, const struct reeve_codec *codec,
                  struct rv_error *err) {
    struct coded *coded = malloc(sizeof *coded);
    if (!coded) return rv_fail(err, REEVE_ENOMEM, "no memory for a codec");
    rv_around_init(&coded->around, inner);
    coded->around.ops.push = codec_push;
    coded->around.ops.exchange = codec_exchange;
    coded->around.ops.exchange_all = NULL; /* each has results of its own to encode */
    coded->around.ops.caps &= ~(unsigned)RV_CAP_AT_ONCE;
    coded->around.ops.read = codec_read;
    coded->around.ops.list = codec_list;
    coded->around.ops.wait = codec_wait;
    coded->around.ops.box_attend = codec_box_attend;
    coded->codec = *codec;
    *out = &coded->around.base;
    return 0;
}
