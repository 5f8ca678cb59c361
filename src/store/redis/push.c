/* push: one id, one job (J14), and a repeat changes nothing (J7). Jobs that are alike go as a run,
 * so that what they share is sent and read once. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "store/redis/fan.h"
#include "store/redis/history.h"
#include "store/redis/record.h"

enum { FEW_KEYS = 6, TWINS = 1, TELL = 2 }; /* as in lua/push.lua */

/* Jobs for one shard. */
struct push {
    struct rv_rd *store;
    const char *queue;
    const struct rv_new_job **jobs;
    size_t count;
    struct rv_pushed **outs;
    struct rv_rd_script *script;
};

/* ---- the request ---- */
/* May one id be there twice? Then the script looks at each by itself. */
static int look_for_twins(const struct push *push, bool *out, struct rv_error *err) {
    size_t room = 8;
    while (room < 2 * push->count)
        room *= 2;
    uint64_t *hashes = calloc(room, sizeof *hashes);
    if (!hashes) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    *out = false;
    for (size_t i = 0; !*out && i < push->count; i++) {
        uint64_t hash = rv_rd_hash(push->jobs[i]->id);
        if (!hash) hash = 1; /* 0: a free place */
        size_t at = hash & (room - 1);
        while (hashes[at] && hashes[at] != hash)
            at = (at + 1) & (room - 1);
        *out = hashes[at] == hash;
        hashes[at] = hash;
    }
    free(hashes);
    return 0;
}

/* flags: those of a's record. */
static bool are_alike(const struct rv_new_job *a, unsigned flags, const struct rv_new_job *b) {
    return a->priority == b->priority && a->delay_ms == b->delay_ms &&
           a->run_at_ms == b->run_at_ms && flags == rv_rd_record_flags(b);
}

static void add_job(struct push *push, const struct rv_new_job *job, unsigned flags) {
    struct rv_rd_args *args = push->script->args;
    rv_rd_args_add_text(args, job->id);
    size_t from = args->bytes.size;
    rv_rd_record_pack(&args->bytes, job, flags);
    rv_rd_args_add_packed(args, from);
    if (rv_rd_is_large(job->body.size)) rv_rd_args_add(args, job->body.data, job->body.size);
}

/* What jobs that are alike have in common, as lua/push.lua reads it. */
static void add_run_head(struct rv_rd_args *args, const struct rv_new_job *job, unsigned flags,
                         size_t count) {
    size_t from = args->bytes.size;
    (void)rv_buf_add_u8(&args->bytes, (uint8_t)rv_rd_record_level(job));
    (void)rv_buf_add_u8(&args->bytes, (uint8_t)flags);
    (void)rv_buf_add_uint(&args->bytes, count, 2);
    (void)rv_buf_add_uint(&args->bytes, (uint64_t)job->delay_ms, 6);
    (void)rv_buf_add_uint(&args->bytes, (uint64_t)job->run_at_ms, 6);
    rv_rd_args_add_packed(args, from);
}

/* Adds the run that begins with the job first. Returns how many it has. */
static size_t add_run(struct push *push, size_t first) {
    const struct rv_new_job *const *jobs = push->jobs + first, *job = *jobs;
    size_t most = push->count - first, count = 1;
    unsigned level = rv_rd_record_level(job), flags = rv_rd_record_flags(job);
    while (count < most && are_alike(job, flags, jobs[count]))
        count++;
    struct rv_rd_args *args = push->script->args;
    push->script->needs |= 1U << level;
    bool plain = !job->delay_ms && !job->run_at_ms && !rv_rd_is_large(job->body.size);
    if (!plain || count < push->count) push->script->needs |= RV_RD_ALL;
    add_run_head(args, job, flags, count);
    for (size_t i = 0; i < count; i++)
        add_job(push, jobs[i], flags);
    return count;
}

/* ---- the answer ---- */
/* The i-th answer is about a job that is done: its record is the next of those that were told. */
static int take_done(struct push *push, struct rv_pushed *out, struct reeve_job **done,
                     size_t *taken, size_t told, struct rv_error *err) {
    if (*taken == told) return rv_rd_fail_answer(push->queue, err);
    out->done = done[*taken];
    done[(*taken)++] = NULL;
    return 0;
}

static int read_codes(struct push *push, struct rv_bytes codes, struct reeve_job **done,
                      size_t told, struct rv_error *err) {
    const unsigned char *bytes = codes.data;
    size_t taken = 0;
    int rc = 0;
    if (codes.size != 2 * push->count) return rv_rd_fail_answer(push->queue, err);
    for (size_t i = 0; !rc && i < push->count; i++) {
        struct rv_pushed *out = push->outs[i];
        out->status = (enum reeve_push_status)bytes[2 * i];
        out->state = (enum reeve_state)bytes[2 * i + 1];
        if (!out->status) out->error = REEVE_EFULL;
        if (out->status == REEVE_DUPLICATE_DONE) rc = take_done(push, out, done, &taken, told, err);
    }
    return rc;
}

static int read_with_done(struct push *push, const redisReply *reply, struct rv_error *err) {
    const redisReply *ids = reply->element[2];
    struct reeve_job **done = calloc(ids->elements + 1, sizeof(*done));
    if (!done) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc =
        rv_rd_records_show(push->queue, ids, reply->element[3], reply->element[4], done, NULL, err);
    if (!rc) rc = read_codes(push, rv_rd_bytes(reply->element[0]), done, ids->elements, err);
    for (size_t i = 0; i < ids->elements; i++)
        free(done[i]);
    free(done);
    return rc;
}

static int read_answer(struct push *push, const redisReply *reply, struct rv_error *err) {
    if (reply->type == REDIS_REPLY_INTEGER) {
        for (size_t i = 0; i < push->count; i++)
            *push->outs[i] = (struct rv_pushed){.status = REEVE_QUEUED, .state = REEVE_READY};
        return 0;
    }
    if (rv_rd_is_array(reply, 2))
        return read_codes(push, rv_rd_bytes(reply->element[0]), NULL, 0, err);
    if (!rv_rd_is_array(reply, 5) || reply->element[2]->type != REDIS_REPLY_ARRAY)
        return rv_rd_fail_answer(push->queue, err);
    return read_with_done(push, reply, err);
}

/* ---- what a fail-over may lose ---- */
/* Where servers follow one another, they tell where they are in their history. */
static bool tells(const struct rv_rd *store) {
    return store->topology.shape != RV_RD_ONE;
}

/* The answer to what was pushed; *history: what was told with it. NULL: it is none. */
static const redisReply *answer_in(const struct rv_rd *store, const redisReply *reply,
                                   struct rv_bytes *history) {
    *history = (struct rv_bytes){0};
    if (!tells(store)) return reply;
    if (!rv_rd_is_array(reply, 2)) return NULL;
    *history = rv_rd_bytes(reply->element[0]);
    return reply->element[1];
}

/* Jobs that were put in just now, or not at all: of one that was there before it tells nothing. */
static void keep(struct push *push, struct rv_bytes history) {
    struct rv_rd_history at;
    if (!history.size || !rv_rd_history_read(history.data, &at)) return;
    int64_t now_ms = rv_store_now_ms(&push->store->base);
    for (size_t i = 0; i < push->count; i++) {
        struct rv_new_job job = *push->jobs[i];
        job.queue = push->queue;
        if (push->outs[i]->status == REEVE_QUEUED)
            rv_rd_recent_add(&push->store->recent, &job, &at.now, now_ms);
    }
}

static bool is_of_new_queue(const redisReply *reply) {
    if (reply->type == REDIS_REPLY_INTEGER) return reply->integer;
    return reply->elements > 1 && reply->element[1]->integer;
}

/* ---- the name of the queue ---- in another slot: two steps, the name goes first ---- */
struct listing {
    char key[RV_RD_KEY_SIZE];
    const char *words[4];
    struct rv_rd_command command;
    redisReply *reply;
    struct rv_rd_ask ask;
    bool known; /* it was listed before, as far as we know */
};

static void prepare_listing(struct listing *listing, struct rv_rd *store, const char *queue) {
    rv_rd_key(store, NULL, "queues", listing->key);
    listing->words[0] = "ZADD";
    listing->words[1] = listing->key;
    listing->words[2] = "0";
    listing->words[3] = queue;
    listing->command = (struct rv_rd_command){.argc = 4, .argv = listing->words};
    listing->reply = NULL;
    listing->ask =
        (struct rv_rd_ask){.commands = &listing->command, .count = 1, .replies = &listing->reply};
    listing->known = rv_rd_hint_get(&store->hints, queue).listed;
}

/* The queue was new though its name was taken for listed: the server has lost all. */
static int list_anew(struct rv_rd *store, const struct listing *listing, struct rv_error *err) {
    redisReply *reply = NULL;
    int rc = rv_rd_call(store, NULL, &listing->command, 1, store->timeout_ms, &reply, err);
    rv_rd_replies_free(&reply, 1);
    return rc;
}

/* ---- the step ---- */
struct batch {
    const struct rv_new_job *jobs;
    size_t count;
    struct rv_pushed *outs;
    int64_t timeout_ms;
    /* By shard: */
    const struct rv_new_job **sorted;
    struct rv_pushed **sorted_outs;
    struct push pushes[RV_SHARDS_MAX];
};

/* Each job goes to the shard of its id, so that it is met there by the next of that id (J14). */
static void sort_jobs(struct batch *batch, const struct rv_rd_split *split) {
    size_t count = 0;
    for (unsigned shard = 0; shard < split->count; shard++) {
        struct push *push = &batch->pushes[shard];
        size_t first = count;
        for (size_t i = 0; i < batch->count; i++) {
            if (rv_rd_split_home(split, batch->jobs[i].id) != shard) continue;
            batch->sorted[count] = &batch->jobs[i];
            batch->sorted_outs[count++] = &batch->outs[i];
        }
        push->jobs = batch->sorted + first;
        push->outs = batch->sorted_outs + first;
        push->count = count - first;
    }
}

/* He sleeps once, until the end is told; by then the answer is here. One that says more than that
 * it was queued is larger, and wakes him before; so is any that comes with a history. */
static void listen_beside(struct push *push) {
    struct rv_box *box = push->count == 1 ? push->jobs[0]->box : NULL;
    if (!box || tells(push->store)) return;
    push->script->beside = rv_container_of(box, struct rv_rd_box, base)->conn;
    push->script->passed_over = (int)strlen(":0\r\n");
}

static int prepare(struct push *push, struct rv_error *err) {
    bool twins = false;
    int rc = look_for_twins(push, &twins, err);
    if (rc) return rc;
    push->script->few = FEW_KEYS;
    push->script->awaits_replicas = true;
    listen_beside(push);
    rv_rd_args_add_number(push->script->args,
                          (twins ? TWINS : 0) | (tells(push->store) ? TELL : 0));
    for (size_t i = 0; i < push->count;)
        i += add_run(push, i);
    return 0;
}

static int prepare_all(struct rv_rd *store, const struct rv_rd_split *split, struct batch *batch,
                       struct rv_rd_fan *fan, struct rv_error *err) {
    int rc = 0;
    sort_jobs(batch, split);
    for (unsigned i = 0; !rc && i < split->count; i++) {
        struct push *push = &batch->pushes[i];
        push->store = store;
        push->queue = split->queue;
        push->script = &fan->parts[i].script;
        fan->parts[i].wanted = push->count > 0;
        if (push->count) rc = prepare(push, err);
    }
    return rc;
}

/* *is_new: the shard has not had the queue. */
static int read_part(struct push *push, const redisReply *reply, bool *is_new,
                     struct rv_error *err) {
    struct rv_bytes history;
    reply = answer_in(push->store, reply, &history);
    if (!reply) return rv_rd_fail_answer(push->queue, err);
    *is_new = is_of_new_queue(reply);
    int rc = read_answer(push, reply, err);
    if (!rc) keep(push, history);
    return rc;
}

/* What goes to shards that do not answer is left as it is: the others' jobs do not wait for it. */
static void leave_away(struct batch *batch, struct rv_rd_fan *fan, struct rv_error *err) {
    for (unsigned i = 0; i < fan->count; i++) {
        struct rv_rd_part *part = &fan->parts[i];
        int rc = part->script.rc;
        if (!part->wanted || (rc != REEVE_EUNREACHABLE && rc != REEVE_EUNSURE)) continue;
        for (size_t j = 0; j < batch->pushes[i].count; j++)
            batch->pushes[i].outs[j]->error = rc;
        (void)rv_fail(err, rc, "%s", part->script.err.text);
        part->wanted = false;
    }
}

static int read_all(struct rv_rd *store, struct batch *batch, const struct rv_rd_fan *fan,
                    const struct listing *listing, struct rv_error *err) {
    bool anew = false;
    int rc = rv_rd_fan_judge(fan, err);
    if (!rc && listing->ask.rc) /* the jobs are there, but their queue may be overlooked */
        rc = rv_fail(err, REEVE_EUNSURE, "%s", listing->ask.err.text);
    for (unsigned i = 0; !rc && i < fan->count; i++) {
        const redisReply *reply = fan->parts[i].script.reply;
        bool is_new = false;
        if (!reply) continue;
        rc = read_part(&batch->pushes[i], reply, &is_new, err);
        anew |= listing->known && is_new;
    }
    if (!rc && anew) rc = list_anew(store, listing, err);
    if (!rc && !listing->known) rv_rd_hint_set_listed(&store->hints, listing->words[3]);
    return rc;
}

static int push(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
                struct rv_error *err) {
    struct batch *batch = arg;
    struct listing listing;
    prepare_listing(&listing, store, split->queue);
    struct rv_rd_fan *fan = rv_rd_fan_create(split, RV_REDIS_LUA_PUSH, batch->timeout_ms,
                                             batch->count * RV_RD_GIVEN_MAX + 64);
    if (!fan) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    bool in_part = split->count > 1 && store->topology.shape == RV_RD_CLUSTER;
    memset(batch->outs, 0, batch->count * sizeof *batch->outs); /* it may be tried anew */
    int rc = prepare_all(store, split, batch, fan, err);
    if (!rc) {
        rv_rd_fan_be_brief(fan, in_part);
        rv_rd_fan_run(store, fan, listing.known ? NULL : &listing.ask);
        if (in_part) leave_away(batch, fan, err);
        rc = read_all(store, batch, fan, &listing, err);
    }
    rv_rd_replies_free(&listing.reply, 1);
    rv_rd_fan_destroy(fan);
    return rc;
}

int rv_rd_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs, size_t count,
               int64_t timeout_ms, struct rv_pushed *outs, struct rv_error *err) {
    struct rv_rd *store = rv_container_of(s, struct rv_rd, base);
    struct batch batch = {
        .jobs = jobs, .count = count, .outs = outs, .timeout_ms = store->timeout_ms};
    if (timeout_ms < batch.timeout_ms) batch.timeout_ms = timeout_ms;
    batch.sorted = calloc(count, sizeof *batch.sorted);
    batch.sorted_outs = calloc(count, sizeof *batch.sorted_outs);
    int rc = batch.sorted && batch.sorted_outs ? rv_rd_split_over(store, queue, push, &batch, err)
                                               : rv_fail(err, REEVE_ENOMEM, "out of memory");
    free(batch.sorted);
    free(batch.sorted_outs);
    return rc;
}
