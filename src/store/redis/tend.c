/* tend: what is due, kept long enough or forgotten. */
#include "base/list.h"
#include "store/redis/script.h"

static int read_answer(const redisReply *reply, const char *queue, struct rv_tended *out,
                       struct rv_error *err) {
    if (!rv_rd_is_array(reply, 3)) return rv_rd_fail_answer(queue, err);
    out->promoted = (size_t)reply->element[0]->integer;
    out->expired = (size_t)reply->element[1]->integer;
    out->next_in_ms = reply->element[2]->integer;
    out->more = out->next_in_ms == 0;
    return 0;
}

int rv_rd_tend(struct rv_store *s, const char *queue, struct rv_tended *out, struct rv_error *err) {
    struct rv_rd *store = rv_container_of(s, struct rv_rd, base);
    struct rv_rd_args args;
    rv_rd_args_init(&args, 128);
    rv_rd_args_add_number(&args, RV_TEND_MAX);
    rv_rd_args_add_number(&args, RV_LANE_KEPT_MS);
    rv_rd_args_add_number(&args, RV_EVENT_KEPT_MS);
    struct rv_rd_script script = {.which = RV_REDIS_LUA_TEND,
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
