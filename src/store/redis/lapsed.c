/* lapsed: the jobs of claims whose lease is over. */
#include <stdlib.h>

#include "base/list.h"
#include "store/redis/record.h"
#include "store/redis/script.h"

static int show(const redisReply *reply, const char *queue, struct rv_lapsed *out,
                struct rv_error *err) {
    const redisReply *ids = reply->element[0];
    struct reeve_job **jobs = calloc(ids->elements + 1, sizeof(*jobs));
    uint64_t *holders = calloc(ids->elements + 1, sizeof *holders);
    out->jobs = calloc(ids->elements + 1, sizeof *out->jobs);
    int rc = jobs && holders && out->jobs ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
    if (!rc)
        rc = rv_rd_records_show(queue, ids, reply->element[1], reply->element[2], jobs, holders,
                                err);
    for (size_t i = 0; jobs && i < ids->elements && jobs[i]; i++)
        out->jobs[out->count++] = (struct rv_lapsed_job){jobs[i], holders[i]};
    free(holders);
    free(jobs);
    return rc;
}

static int read_answer(const redisReply *reply, const char *queue, struct rv_lapsed *out,
                       struct rv_error *err) {
    if (!rv_rd_is_array(reply, 5) || reply->element[0]->type != REDIS_REPLY_ARRAY)
        return rv_rd_fail_answer(queue, err);
    struct rv_bytes next = rv_rd_bytes(reply->element[3]), now = rv_rd_bytes(reply->element[4]);
    if (!next.size || !now.size) return rv_rd_fail_answer(queue, err);
    int64_t next_ms = strtoll(next.data, NULL, 10), now_ms = strtoll(now.data, NULL, 10);
    if (next_ms) out->next_in_ms = next_ms - now_ms;
    return show(reply, queue, out, err);
}

int rv_rd_lapsed(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                 struct rv_error *err) {
    struct rv_rd *store = rv_container_of(s, struct rv_rd, base);
    struct rv_rd_args args;
    rv_rd_args_init(&args, 64);
    rv_rd_args_add_number(&args, RV_CLAIM_MAX);
    rv_rd_args_add_number(&args, (int64_t)RV_RD_TAKE_BYTES);
    struct rv_rd_script script = {.which = RV_REDIS_LUA_LAPSED,
                                  .shard = {.queue = queue},
                                  .args = &args,
                                  .timeout_ms = store->timeout_ms};
    redisReply *reply = NULL;
    int rc = rv_rd_script_run(store, &script, &reply, err);
    if (!rc) rc = read_answer(reply, queue, out, err);
    rv_rd_replies_free(&reply, 1);
    rv_rd_args_release(&args);
    return rc;
}
