#include "store/redis/settle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/script.h"
#include "store/redis/space.h"
#include "store/redis/split.h"

enum {
    ARGS_MAX = 512,
    SAID_SIZE = 128,
    TURNS_MAX = 100, /* J11: others may be changing it as well */
    TOTALS = 9,
};

/* ---- what the space says ---- as text: seven numbers ---- */
static void write_said(const struct rv_rd_said *said, char out[SAID_SIZE]) {
    (void)snprintf(out, SAID_SIZE, "%" PRIu64 " %u %u %d %" PRId64 " %" PRId64 " %d", said->epoch,
                   said->count, said->other, said->paused, said->bounds.max_length,
                   said->bounds.keep_failed, (int)said->bounds.on_full);
    if (!said->epoch) *out = '\0';
}

static bool is_count(uint64_t number) {
    return number >= 1 && number <= RV_SHARDS_MAX;
}

static int read_said(const char *queue, struct rv_bytes text, struct rv_rd_said *out,
                     struct rv_error *err) {
    uint64_t numbers[7] = {0};
    size_t count = 0;
    const char *at = text.data;
    *out = (struct rv_rd_said){.count = 1, .other = 1};
    if (!text.size) return 0;
    for (char *end; count < 7; count++, at = end) { /* the server's text ends with a NUL */
        numbers[count] = strtoull(at, &end, 10);
        if (end == at) break;
    }
    if (count < 7 || !numbers[0] || !is_count(numbers[1]) || !is_count(numbers[2]))
        return rv_fail(err, REEVE_ECORRUPT, "queue %s: what is said of its shards cannot be read",
                       queue);
    *out = (struct rv_rd_said){.epoch = numbers[0],
                               .count = (unsigned)numbers[1],
                               .other = (unsigned)numbers[2],
                               .paused = numbers[3],
                               .bounds = {.max_length = (int64_t)numbers[4],
                                          .keep_failed = (int64_t)numbers[5],
                                          .on_full = (enum reeve_on_full)numbers[6]}};
    return 0;
}

int rv_rd_said_read(struct rv_rd *store, const char *queue, struct rv_rd_said *out,
                    struct rv_error *err) {
    char key[RV_RD_KEY_SIZE];
    rv_rd_key(store, NULL, "shards", key);
    const char *const words[] = {"HGET", key, queue};
    const struct rv_rd_command command = {.argc = 3, .argv = words};
    redisReply *reply = NULL;
    int rc = rv_rd_space_call(store, &command, 1, &reply, err);
    if (rc) return rv_rd_only_asked(rc, err);
    rc = read_said(queue, rv_rd_bytes(reply), out, err);
    freeReplyObject(reply);
    return rc;
}

/* Says *to if it is *said that stands there. *said: what stands there then. */
static int replace(struct rv_rd *store, const char *queue, struct rv_rd_said *said,
                   const struct rv_rd_said *to, struct rv_error *err) {
    char from_text[SAID_SIZE], to_text[SAID_SIZE];
    write_said(said, from_text);
    write_said(to, to_text);
    const struct rv_rd_space_script script = {.which = RV_REDIS_LUA_SPLIT,
                                              .keys = {"shards"},
                                              .key_count = 1,
                                              .args = {{queue, strlen(queue)},
                                                       {from_text, strlen(from_text)},
                                                       {to_text, strlen(to_text)}},
                                              .arg_count = 3};
    redisReply *reply = NULL;
    int rc = rv_rd_space_run(store, &script, &reply, err);
    if (rc) return rc;
    rc = read_said(queue, rv_rd_bytes(reply), said, err);
    freeReplyObject(reply);
    return rc;
}

/* ---- one shard ---- */
/* What a shard is to be; lua/settle.lua. */
struct order {
    uint64_t epoch; /* 0: only look */
    unsigned count, number;
    bool is_new;      /* it was none of the queue's before */
    bool with_bounds; /* sets these */
    bool paused;
    struct rv_bounds bounds;
    uint64_t totals[TOTALS]; /* counted by shards that are no more */
};

static void add_order(struct rv_rd_args *args, const struct order *order) {
    rv_rd_args_add_number(args, (int64_t)order->epoch);
    rv_rd_args_add_number(args, order->count);
    rv_rd_args_add_number(args, order->number);
    rv_rd_args_add_number(args, order->is_new);
    rv_rd_args_add_number(args, order->with_bounds);
    rv_rd_args_add_number(args, order->paused);
    rv_rd_args_add_number(args, order->bounds.max_length);
    rv_rd_args_add_number(args, order->bounds.keep_failed);
    rv_rd_args_add_number(args, order->bounds.on_full);
    for (size_t i = 0; i < TOTALS; i++)
        rv_rd_args_add_number(args, (int64_t)order->totals[i]);
}

static int give_order(struct rv_rd *store, const char *queue, const struct order *order,
                      struct rv_rd_shard_state *out, struct rv_error *err) {
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_SETTLE,
                                  .shard = {queue, order->number, RV_RD_ANY_EPOCH},
                                  .args = &args,
                                  .timeout_ms = store->timeout_ms};
    redisReply *reply = NULL;
    *out = (struct rv_rd_shard_state){0};
    rv_rd_args_init(&args, ARGS_MAX);
    add_order(&args, order);
    int rc = rv_rd_script_run(store, &script, &reply, err);
    rv_rd_args_release(&args);
    if (rc) return rc;
    if (rv_rd_is_array(reply, 3)) {
        out->epoch = (uint64_t)reply->element[0]->integer;
        out->records = (uint64_t)reply->element[1]->integer;
        rc = rv_rd_meta_read(queue, rv_rd_bytes(reply->element[2]), &out->meta, err);
    } else {
        rc = rv_rd_fail_answer(queue, err);
    }
    freeReplyObject(reply);
    return rc;
}

int rv_rd_shard_look(struct rv_rd *store, const char *queue, unsigned number,
                     struct rv_rd_shard_state *out, struct rv_error *err) {
    const struct order look = {.number = number};
    return give_order(store, queue, &look, out, err);
}

/* ---- a change, step by step ---- */
struct change {
    struct rv_rd *store;
    const char *queue;
    struct rv_rd_said said;
    uint64_t records; /* that were in the way of the latest attempt */
};

/* Whoever has a shard of a later epoch knows more than the space, which has lost it: goes on from
 * there. Unless the space has been told meanwhile. */
static int catch_up(struct change *change, const struct rv_rd_shard_state *state,
                    struct rv_error *err) {
    struct rv_rd_said to = {
        .epoch = (state->epoch | 1) + 1, .count = state->meta.shards, .other = state->meta.shards};
    return replace(change->store, change->queue, &change->said, &to, err);
}

/* Closes the shards and says what comes of it: step 2, and the first half of step 3. */
static int close_all(struct change *change, struct rv_error *err) {
    const struct rv_rd_said *said = &change->said;
    struct rv_rd_said to = {.epoch = said->epoch + 1, .count = said->other, .other = said->count};
    change->records = 0;
    for (unsigned i = 0; i < said->count && !change->records; i++) {
        const struct order order = {.epoch = said->epoch, .count = said->count, .number = i};
        struct rv_rd_shard_state state;
        int rc = give_order(change->store, change->queue, &order, &state, err);
        if (rc) return rc;
        if (state.epoch > said->epoch) return catch_up(change, &state, err);
        if (state.epoch < said->epoch) change->records = state.records;
        to.paused |= state.meta.paused;
        to.bounds.max_length += state.meta.bounds.max_length;
        to.bounds.keep_failed += state.meta.bounds.keep_failed;
        to.bounds.on_full = state.meta.bounds.on_full;
    }
    if (change->records) to.count = said->count;
    return replace(change->store, change->queue, &change->said, &to, err);
}

int64_t rv_rd_share(int64_t bound, unsigned count, unsigned number) {
    if (bound <= 0) return bound;
    int64_t share = bound / count + (number < bound % count);
    return share > 0 ? share : 1; /* 0 would be no bound */
}

/* What the shards that are no more have counted. */
static int sum_gone(struct change *change, uint64_t totals[TOTALS], struct rv_error *err) {
    int rc = 0;
    for (unsigned i = change->said.count; !rc && i < change->said.other; i++) {
        struct rv_rd_shard_state state;
        rc = rv_rd_shard_look(change->store, change->queue, i, &state, err);
        const struct rv_rd_meta *m = &state.meta;
        if (rc) return rc;
        const uint64_t theirs[TOTALS] = {m->pushed,  m->finished, m->retried, m->lapsed, m->fenced,
                                         m->expired, m->refused,  m->dropped, m->trimmed};
        for (size_t j = 0; j < TOTALS; j++)
            totals[j] += theirs[j];
    }
    return rc;
}

/* Opens the shards that there are now: the second half of step 3. */
static int open_all(struct change *change, bool *done, struct rv_error *err) {
    const struct rv_rd_said said = change->said;
    struct order order = {.epoch = said.epoch,
                          .count = said.count,
                          .with_bounds = said.count != said.other,
                          .paused = said.paused};
    int rc = sum_gone(change, order.totals, err);
    for (unsigned i = 0; !rc && i < said.count; i++) {
        struct rv_rd_shard_state state;
        order.number = i;
        order.is_new = i >= said.other;
        order.bounds =
            (struct rv_bounds){.max_length = rv_rd_share(said.bounds.max_length, said.count, i),
                               .keep_failed = rv_rd_share(said.bounds.keep_failed, said.count, i),
                               .on_full = said.bounds.on_full};
        rc = give_order(change->store, change->queue, &order, &state, err);
        if (!rc && state.epoch > said.epoch) return catch_up(change, &state, err);
        memset(order.totals, 0, sizeof order.totals);
    }
    *done = !rc;
    return rc;
}

/* Until all shards are as the space says. */
static int bring_to_end(struct change *change, struct rv_error *err) {
    bool done = false;
    int rc = 0;
    for (int turn = 0; !rc && !done && turn < TURNS_MAX; turn++)
        rc = change->said.epoch % 2 ? close_all(change, err) : open_all(change, &done, err);
    if (!rc && !done)
        rc = rv_fail(err, REEVE_EUNREACHABLE, "queue %s: others are changing its shards",
                     change->queue);
    return rc;
}

static void remember(struct change *change) {
    const struct rv_rd_split split = {change->queue, change->said.count, change->said.epoch};
    rv_rd_splits_remember(&change->store->splits, &split);
}

/* ---- from outside ---- */
/* Nothing is said of it: it lies in one shard; or what was said is lost; or nobody has made it yet,
 * and it gets as many shards as the url asks for. */
static int settle_unsaid(struct change *change, struct rv_error *err) {
    struct rv_rd *store = change->store;
    struct rv_rd_shard_state state;
    int rc = rv_rd_shard_look(store, change->queue, 0, &state, err);
    if (rc) return rc;
    if (state.epoch) return catch_up(change, &state, err);
    if (state.meta.known || store->url.shards <= 1) return 0;
    rc = rv_rd_resplit(store, change->queue, store->url.shards, err);
    return rc ? rc : rv_rd_said_read(store, change->queue, &change->said, err);
}

int rv_rd_settle(struct rv_rd *store, const struct rv_rd_split *split, struct rv_error *err) {
    struct change change = {.store = store, .queue = split->queue};
    int rc = rv_rd_said_read(store, split->queue, &change.said, err);
    if (!rc && !change.said.epoch) rc = settle_unsaid(&change, err);
    if (rc) return rc;
    bool is_news = change.said.epoch != split->epoch && change.said.epoch % 2 == 0;
    if (change.said.epoch && !is_news) rc = bring_to_end(&change, err);
    if (!rc) remember(&change);
    return rc;
}

static int fail_held(const struct change *change, struct rv_error *err) {
    return rv_fail(err, REEVE_ESTATE,
                   "queue %s holds jobs (%" PRIu64 " records in one shard, those that ended among "
                   "them): the number of its shards cannot be changed until none is left",
                   change->queue, change->records);
}

int rv_rd_resplit(struct rv_rd *store, const char *queue, unsigned count, struct rv_error *err) {
    struct change change = {.store = store, .queue = queue};
    int rc = rv_rd_said_read(store, queue, &change.said, err);
    for (int turn = 0; !rc && turn < TURNS_MAX; turn++) {
        if (change.said.epoch || count == 1) rc = bring_to_end(&change, err);
        if (rc) break;
        remember(&change);
        if (change.said.count == count) return 0;
        if (change.records) return fail_held(&change, err);
        struct rv_rd_said to = change.said;
        to.epoch++;
        to.other = count;
        rc = replace(store, queue, &change.said, &to, err);
    }
    if (rc) return rc;
    return rv_fail(err, REEVE_EUNREACHABLE, "queue %s: others are changing its shards", queue);
}
