/* renew: new deadlines for claims. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "store/redis/record.h"
#include "store/redis/script.h"

static void add_claim(struct rv_rd_args *args, const struct rv_renewal *claim) {
    unsigned char name[RV_RD_LEASE_SIZE];
    size_t from = args->bytes.size;
    rv_rd_lease_pack(name, claim->holder, claim->token);
    (void)rv_buf_add(&args->bytes, name, sizeof name);
    rv_rd_args_add_packed(args, from);
    rv_rd_args_add_number(args, claim->lease_ms);
}

/* stop: index of a claim and id of a job, for each. */
static int gather_marks(const redisReply *stop, const struct rv_renewal *claims, size_t count,
                        struct rv_cancel_marks *marks, const char *queue, struct rv_error *err) {
    if (!stop->elements) return 0;
    marks->marks = calloc(stop->elements / 2 + 1, sizeof *marks->marks);
    if (!marks->marks) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; i + 1 < stop->elements; i += 2) {
        long long index = stop->element[i]->integer;
        struct rv_bytes id = rv_rd_bytes(stop->element[i + 1]);
        struct rv_cancel_mark *mark = &marks->marks[marks->count];
        if (index < 1 || (size_t)index > count || !id.size || id.size >= sizeof mark->id)
            return rv_rd_fail_answer(queue, err);
        mark->holder = claims[index - 1].holder;
        memcpy(mark->id, id.data, id.size); /* zeroed: NUL-ended */
        marks->count++;
    }
    return 0;
}

static int read_answer(const redisReply *reply, const char *queue, struct rv_renewal *claims,
                       size_t count, struct rv_cancel_marks *marks, struct rv_error *err) {
    if (!rv_rd_is_array(reply, 2)) return rv_rd_fail_answer(queue, err);
    struct rv_bytes lost = rv_rd_bytes(reply->element[0]);
    const redisReply *stop = reply->element[1];
    if (lost.size != count || stop->type != REDIS_REPLY_ARRAY) return rv_rd_fail_answer(queue, err);
    for (size_t i = 0; i < count; i++)
        claims[i].lost = ((const char *)lost.data)[i] == '1';
    return gather_marks(stop, claims, count, marks, queue, err);
}

int rv_rd_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err) {
    struct rv_rd *store = rv_container_of(s, struct rv_rd, base);
    struct rv_rd_args args;
    rv_rd_args_init(&args, count * 64);
    for (size_t i = 0; i < count; i++)
        add_claim(&args, &claims[i]);
    struct rv_rd_script script = {.which = RV_REDIS_LUA_RENEW,
                                  .shard = {.queue = queue},
                                  .args = &args,
                                  .timeout_ms = timeout_ms};
    redisReply *reply;
    int rc = rv_rd_script_run(store, &script, &reply, err);
    if (!rc) {
        rc = read_answer(reply, queue, claims, count, marks, err);
        freeReplyObject(reply);
    }
    rv_rd_args_release(&args);
    return rc;
}
