/* The doctor: what queues count, against the records that are there. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/redis/lines.h"
#include "store/redis/meta.h"
#include "store/redis/script.h"

enum { ARGS_MAX = 256, META_MAX = 512, TRIES_MAX = 5, ALL_KEYS = RV_RD_NEEDS };

struct seen {
    char bytes[META_MAX]; /* the meta as it is */
    size_t size;
    bool wrong; /* what it says of lines and marks */
};

/* ---- the script ---- */
static int read_answer(const struct rv_rd_shard *shard, const redisReply *reply, struct seen *out,
                       struct rv_error *err) {
    if (!rv_rd_is_array(reply, 2)) return rv_rd_fail_answer(shard->queue, err);
    struct rv_bytes meta = rv_rd_bytes(reply->element[0]);
    if (meta.size > sizeof out->bytes) return rv_rd_fail_answer(shard->queue, err);
    if (meta.size) memcpy(out->bytes, meta.data, meta.size);
    out->size = meta.size;
    out->wrong = reply->element[1]->integer;
    return 0;
}

/* Looks at the meta; with there, writes what is there if it still is as before. */
static int run(struct rv_rd_exam *exam, const struct rv_rd_shard *shard, const struct seen *before,
               const struct rv_rd_tally *there, struct seen *out, struct rv_error *err) {
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_RECOUNT,
                                  .shard = *shard,
                                  .needs = ALL_KEYS,
                                  .args = &args,
                                  .timeout_ms = exam->store->timeout_ms};
    redisReply *reply;
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add(&args, there ? before->bytes : "", there ? before->size : 0);
    for (int state = REEVE_DELAYED; there && state <= REEVE_CANCELLED; state++)
        rv_rd_args_add_number(&args, (int64_t)there->there[state]);
    if (there) rv_rd_args_add_number(&args, (int64_t)there->seq);
    if (there) rv_rd_args_add_number(&args, (int64_t)there->token);
    int rc = rv_rd_script_run(exam->store, &script, &reply, err);
    rv_rd_args_release(&args);
    if (rc) return rc;
    rc = read_answer(shard, reply, out, err);
    freeReplyObject(reply);
    return rc;
}

/* ---- counting ---- */
static int count_records(struct rv_rd_exam *exam, const struct rv_rd_shard *shard,
                         struct rv_rd_tally *out, struct rv_error *err) {
    int rc;
    *out = (struct rv_rd_tally){.cursor = "0"};
    do {
        rc = rv_rd_tally_step(exam, shard, false, out, NULL, err);
    } while (!rc && strcmp(out->cursor, "0") != 0);
    return rc;
}

/* Counts while nothing happens: whatever does changes the meta. *quiet: so it was. */
static int count_in_peace(struct rv_rd_exam *exam, const struct rv_rd_shard *shard,
                          struct seen *seen, struct rv_rd_tally *there, bool *quiet,
                          struct rv_error *err) {
    *quiet = false;
    int rc = 0;
    for (int i = 0; !rc && !*quiet && i < TRIES_MAX; i++) {
        struct seen after = {.size = 0};
        rc = run(exam, shard, NULL, NULL, seen, err);
        if (!rc) rc = count_records(exam, shard, there, err);
        if (!rc) rc = run(exam, shard, NULL, NULL, &after, err);
        if (!rc)
            *quiet = after.size == seen->size && memcmp(after.bytes, seen->bytes, seen->size) == 0;
    }
    return rc;
}

/* ---- judging ---- */
static bool is_right(const struct rv_rd_meta *meta, const struct rv_rd_tally *there,
                     const struct seen *seen) {
    return !seen->wrong && meta->token >= there->token && meta->seq >= there->seq &&
           memcmp(meta->counts, there->there, sizeof there->there) == 0;
}

static void tell(struct rv_rd_exam *exam, const struct rv_rd_shard *shard,
                 const struct rv_rd_meta *meta, const struct rv_rd_tally *there,
                 const struct seen *seen) {
    enum reeve_health health = exam->repair ? REEVE_REPAIRED : REEVE_BAD;
    for (int state = REEVE_DELAYED; state <= REEVE_CANCELLED; state++) {
        if (meta->counts[state] == there->there[state]) continue;
        rv_find(&exam->book, health, "counters",
                "queue %s counts %" PRIu64 " %s jobs, there are %" PRIu64, shard->queue,
                meta->counts[state], reeve_state_name((enum reeve_state)state),
                there->there[state]);
    }
    if (meta->token < there->token)
        rv_find(&exam->book, health, "counters", "queue %s: tokens ran backwards", shard->queue);
    if (meta->seq < there->seq)
        rv_find(&exam->book, health, "counters", "queue %s: its order ran backwards", shard->queue);
    if (seen->wrong)
        rv_find(&exam->book, health, "counters", "queue %s does not know of all its lines",
                shard->queue);
}

struct sum {
    size_t right, wrong, busy;
};

static int examine_shard(struct rv_rd_exam *exam, const struct rv_rd_shard *shard, void *arg,
                         struct rv_error *err) {
    struct sum *sum = arg;
    struct seen seen = {.size = 0}, after;
    struct rv_rd_tally there;
    struct rv_rd_meta meta;
    bool quiet;
    int rc = count_in_peace(exam, shard, &seen, &there, &quiet, err);
    if (!rc)
        rc = rv_rd_meta_read(shard->queue, (struct rv_bytes){seen.bytes, seen.size}, &meta, err);
    if (rc) return rc;
    if (!quiet) {
        sum->busy++;
    } else if (is_right(&meta, &there, &seen)) {
        sum->right++;
    } else {
        sum->wrong++;
        if (exam->repair) rc = run(exam, shard, &seen, &there, &after, err);
        if (!rc) tell(exam, shard, &meta, &there, &seen);
    }
    return rc;
}

int rv_rd_examine_counters(struct rv_rd_exam *exam, struct rv_error *err) {
    struct sum sum = {0};
    int rc = rv_rd_each_shard(exam, examine_shard, &sum, err);
    if (rc || (sum.wrong && !sum.busy)) return rc;
    if (sum.busy)
        rv_find(&exam->book, REEVE_FINE, "counters",
                "%zu queues%s are counted right; %zu were too busy to be counted", sum.right,
                rv_rd_exam_extent(exam), sum.busy);
    else
        rv_find(&exam->book, REEVE_FINE, "counters", "%zu queues%s are counted right", sum.right,
                rv_rd_exam_extent(exam));
    return 0;
}
