#include "store/redis/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "store/redis/types.h"

enum {
    ARGS_MAX = 16384,
    SPREAD_CALLS = 1024,
    DEFAULT_LEVEL = 1U << -REEVE_PRIORITY_MIN,
    EPOCH_BIT = 24, /* of what is sent; lua/head.lua */
};

/* ---- arguments ---- */
void rv_rd_args_init(struct rv_rd_args *args, size_t bytes_max) {
    *args = (struct rv_rd_args){.count = RV_RD_ARGS_HEAD};
    rv_buf_init(&args->bytes, bytes_max);
}

void rv_rd_args_release(struct rv_rd_args *args) {
    free(args->words);
    free(args->sizes);
    rv_buf_release(&args->bytes);
}

static int make_room(struct rv_rd_args *args) {
    if (args->error || args->count < args->room) return args->error;
    size_t room = args->room ? 2 * args->room : 2 * (size_t)RV_RD_ARGS_HEAD;
    if (room > ARGS_MAX) return args->error = REEVE_ETOOBIG;
    const char **words = realloc(args->words, room * sizeof(*words));
    if (words) args->words = words;
    size_t *sizes = realloc(args->sizes, room * sizeof *sizes);
    if (sizes) args->sizes = sizes;
    if (!words || !sizes) return args->error = REEVE_ENOMEM;
    args->room = room;
    return 0;
}

static void add(struct rv_rd_args *args, const char *data, size_t size) {
    if (make_room(args)) return;
    args->words[args->count] = data;
    args->sizes[args->count++] = size;
}

void rv_rd_args_add(struct rv_rd_args *args, const void *data, size_t size) {
    add(args, size ? data : "", size);
}

void rv_rd_args_add_text(struct rv_rd_args *args, const char *text) {
    add(args, text, strlen(text));
}

void rv_rd_args_add_number(struct rv_rd_args *args, int64_t number) {
    char text[RV_DECIMAL_SIZE];
    size_t from = args->bytes.size;
    (void)rv_buf_add(&args->bytes, text, rv_decimal(text, number));
    rv_rd_args_add_packed(args, from);
}

/* The bytes move while they grow: where they are is told by rv_rd_args_settle(). */
void rv_rd_args_add_packed(struct rv_rd_args *args, size_t from) {
    size_t size = args->bytes.size - from;
    add(args, size ? NULL : "", size);
}

int rv_rd_args_settle(struct rv_rd_args *args) {
    if (!args->room) (void)make_room(args);
    if (!args->error) args->error = args->bytes.error;
    const char *at = (const char *)args->bytes.data;
    for (size_t i = RV_RD_ARGS_HEAD; !args->error && i < args->count; i++) {
        if (args->words[i]) continue;
        args->words[i] = at;
        at += args->sizes[i];
    }
    return args->error;
}

void rv_rd_args_command(struct rv_rd_args *args, const struct rv_bytes *head, size_t count,
                        struct rv_rd_command *out) {
    size_t start = RV_RD_ARGS_HEAD - count;
    for (size_t i = 0; i < count; i++) {
        args->words[start + i] = head[i].data;
        args->sizes[start + i] = head[i].size;
    }
    *out = (struct rv_rd_command){.argc = (int)(args->count - start),
                                  .argv = args->words + start,
                                  .sizes = args->sizes + start};
}

/* ---- running ---- */
struct run {
    struct rv_rd *store;
    const struct rv_rd_script *script;
    unsigned needs;
    bool whole;              /* send the text, not its hash */
    bool again;              /* it is to be asked, for the first time or anew */
    struct rv_rd_keys *keys; /* not cleared before they are filled: there is room for very many */
    char key_count[RV_DECIMAL_SIZE], offset[RV_DECIMAL_SIZE], sent[RV_DECIMAL_SIZE];
    char wait_count[12], wait_ms[24];
    const char *touch_words[4], *wait_words[3];
    /* The script; what awaits replicas. */
    struct rv_rd_command commands[RV_RD_CHAIN_MAX];
    redisReply *replies[RV_RD_CHAIN_MAX];
    int rc;
    struct rv_error *err;
};

enum { SCRIPT, TOUCH, WAIT, COMMANDS }; /* of a run */

/* Puts what stands before the arguments right in front of them. Returns where that begins. */
static size_t write_head(struct run *run) {
    struct rv_rd_args *args = run->script->args;
    const struct rv_redis_lua_text *text = &rv_redis_lua[run->script->which];
    size_t named = run->needs & RV_RD_ALL ? RV_RD_KEYS_NAMED : run->script->few;
    /* Who has no use for the first sets has none for those beside them. */
    unsigned needs = run->needs & ~(named > RV_RD_SETS_FIRST ? 0U : RV_RD_SETS);
    rv_rd_keys_fill(run->keys, run->store, &run->script->shard, named, needs);
    uint64_t sent = needs | run->store->url.first_log2 * (RV_RD_SETS << 1);
    const char *text_sent = run->whole ? text->data : text->sha1;
    size_t at = RV_RD_ARGS_HEAD - (3 + run->keys->count + 2), start = at;
    const char *first[] = {run->whole ? "EVAL" : "EVALSHA", text_sent, run->key_count};
    size_t first_sizes[] = {strlen(first[0]), run->whole ? text->size : strlen(text_sent),
                            rv_decimal(run->key_count, (int64_t)run->keys->count)};
    memcpy(args->words + at, first, sizeof first);
    memcpy(args->sizes + at, first_sizes, sizeof first_sizes);
    at += 3;
    memcpy(args->words + at, run->keys->names, run->keys->count * sizeof(*args->words));
    memcpy(args->sizes + at, run->keys->sizes, run->keys->count * sizeof *args->sizes);
    at += run->keys->count;
    args->words[at] = run->offset;
    args->sizes[at++] = rv_decimal(run->offset, atomic_load(&run->store->clock->offset_ms));
    args->words[at] = run->sent;
    args->sizes[at] =
        rv_decimal(run->sent, (int64_t)(run->script->shard.epoch << EPOCH_BIT | sent));
    return start;
}

static bool awaits_replicas(const struct run *run) {
    return run->script->awaits_replicas && run->store->url.wait_replicas;
}

/* Behind the script: a write that tells nothing new, and how many replicas have it. WAIT goes by
 * the connection's latest write, and a script that was a repeat has made none. */
static void add_waiting(struct run *run) {
    const struct rv_rd_url *url = &run->store->url;
    int64_t most_ms = run->script->timeout_ms / 2; /* so that its answer is not given up */
    int64_t ms = url->wait_ms < most_ms ? url->wait_ms : most_ms;
    (void)snprintf(run->wait_count, sizeof run->wait_count, "%u", url->wait_replicas);
    (void)snprintf(run->wait_ms, sizeof run->wait_ms, "%lld", (long long)(ms > 0 ? ms : 1));
    const char *touch[] = {"EVAL", rv_redis_lua[RV_REDIS_LUA_TOUCH].data, "1", run->keys->names[0]};
    const char *wait[] = {"WAIT", run->wait_count, run->wait_ms};
    memcpy(run->touch_words, touch, sizeof touch);
    memcpy(run->wait_words, wait, sizeof wait);
    run->commands[TOUCH] = (struct rv_rd_command){.argc = 4, .argv = run->touch_words};
    run->commands[WAIT] = (struct rv_rd_command){.argc = 3, .argv = run->wait_words};
}

static struct rv_rd_ask prepare(struct run *run) {
    const struct rv_rd_args *args = run->script->args;
    size_t start = write_head(run);
    run->commands[SCRIPT] = (struct rv_rd_command){.argc = (int)(args->count - start),
                                                   .argv = args->words + start,
                                                   .sizes = args->sizes + start};
    bool waits = awaits_replicas(run);
    if (waits) add_waiting(run);
    rv_rd_replies_free(run->replies, COMMANDS);
    return (struct rv_rd_ask){.shard = &run->script->shard,
                              .commands = run->commands,
                              .count = waits ? WAIT + 1 : SCRIPT + 1,
                              .once = run->script->once,
                              .brief = run->script->brief,
                              .spare = run->script->spare,
                              .beside = run->script->beside,
                              .passed_over = run->script->passed_over,
                              .chained = waits,
                              .replies = run->replies};
}

/* It happened, on one server. That others have it is not known. */
static int count_replicas(struct run *run) {
    if (run->rc || run->again || !awaits_replicas(run)) return run->rc;
    const redisReply *reply = run->replies[WAIT];
    long long got = reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0;
    if (got >= run->store->url.wait_replicas) return 0;
    return rv_fail(run->err, REEVE_EUNSURE,
                   "queue %s: %lld of %s replicas have it after %s ms (wait=%s)",
                   run->script->shard.queue, got, run->wait_count, run->wait_ms, run->wait_count);
}

/* The number behind word in a status, or 0. */
static unsigned number_after(const char *status, const char *word) {
    size_t size = strlen(word);
    return strncmp(status, word, size) == 0 ? (unsigned)strtoul(status + size, NULL, 10) : 0;
}

/* A script that could not begin says why. run->again: it can be mended. */
static int mend(struct run *run) {
    const redisReply *reply = run->replies[SCRIPT];
    run->again = rv_rd_reply_is_noscript(reply);
    if (run->again) {
        run->whole = true;
        return 0;
    }
    if (reply->type != REDIS_REPLY_STATUS) return 0;
    if (strcmp(reply->str, "stale") == 0) return RV_RD_STALE;
    unsigned lasting = number_after(reply->str, "again "),
             needs = lasting | number_after(reply->str, "whole "),
             version = number_after(reply->str, "newer ");
    if (needs & RV_RD_NEEDS & ~run->needs) {
        run->needs |= needs & RV_RD_NEEDS;
        if (lasting) rv_rd_hint_add_needs(&run->store->hints, run->script->shard.queue, lasting);
        run->again = true;
        return 0;
    }
    if (version)
        return rv_fail(run->err, REEVE_ESCHEMA, "queue %s: a newer library wrote it (version %u)",
                       run->script->shard.queue, version);
    return rv_rd_fail_answer(run->script->shard.queue, run->err);
}

/* What the queue is remembered to need. That its records are spread is forgotten now and then: it
 * passes, and a script that is sent too little says so. */
static unsigned needs_of(struct rv_rd *store, const char *queue) {
    unsigned needs = rv_rd_hint_get(&store->hints, queue).needs;
    unsigned passing = RV_RD_SPREAD | RV_RD_SETS;
    if (!(needs & RV_RD_SPREAD) || atomic_fetch_add(&store->hints.spread_calls, 1) % SPREAD_CALLS)
        return needs;
    rv_rd_hint_drop_needs(&store->hints, queue, passing);
    return needs & ~passing;
}

static void begin(struct run *run, struct rv_rd *store, const struct rv_rd_script *script,
                  struct rv_rd_keys *keys, struct rv_error *err) {
    *run = (struct run){.store = store, .script = script, .keys = keys, .err = err};
    run->needs = DEFAULT_LEVEL | needs_of(store, script->shard.queue) | script->needs |
                 (script->few ? 0 : RV_RD_ALL);
    run->rc = rv_rd_args_settle(script->args);
    run->again = !run->rc;
    if (run->rc) (void)rv_fail(err, run->rc, "queue %s: the request", script->shard.queue);
}

static void end(struct run *run) {
    rv_rd_replies_free(run->replies + TOUCH, COMMANDS - TOUCH);
    if (run->rc) rv_rd_replies_free(run->replies + SCRIPT, 1);
    /* A script that met a wrong type cannot say of which key. */
    if (run->rc == REEVE_ECORRUPT)
        (void)rv_rd_types_check(run->store, &run->script->shard, run->err);
}

static void heed(struct run *run, const struct rv_rd_ask *ask) {
    run->again = false;
    run->rc = ask->rc;
    if (run->rc && run->err) *run->err = ask->err;
    if (!run->rc) run->rc = mend(run);
    run->rc = count_replicas(run);
}

/* Asks all that are to be asked, at once. asks has room for them and one more. Returns whether
 * there were any. */
static bool ask_all(struct run *runs, size_t count, struct rv_rd_ask *asks,
                    struct rv_rd_ask *also) {
    size_t asked = 0, at = 0;
    int64_t timeout_ms = runs[0].script->timeout_ms;
    if (also) asks[asked++] = *also;
    for (size_t i = 0; i < count; i++)
        if (runs[i].again) asks[asked++] = prepare(&runs[i]);
    if (!asked) return false;
    rv_rd_call_many(runs[0].store, asks, asked, timeout_ms);
    if (also) *also = asks[at++];
    for (size_t i = 0; i < count; i++)
        if (runs[i].again) heed(&runs[i], &asks[at++]);
    return true;
}

int rv_rd_script_run(struct rv_rd *store, const struct rv_rd_script *script, redisReply **out,
                     struct rv_error *err) {
    struct run run;
    struct rv_rd_keys keys;
    struct rv_rd_ask asks[2];
    begin(&run, store, script, &keys, err);
    while (ask_all(&run, 1, asks, NULL))
        continue;
    end(&run);
    *out = run.replies[SCRIPT];
    return run.rc;
}

static void fail_all(struct rv_rd_script *const *scripts, size_t count) {
    for (size_t i = 0; i < count; i++)
        scripts[i]->rc = rv_fail(&scripts[i]->err, REEVE_ENOMEM, "out of memory");
}

/* With room for each of them, and for one more of asks. */
static void run_all(struct rv_rd *store, struct rv_rd_script *const *scripts, size_t count,
                    struct run *runs, struct rv_rd_keys *keys, struct rv_rd_ask *asks,
                    struct rv_rd_ask *also) {
    for (size_t i = 0; i < count; i++)
        begin(&runs[i], store, scripts[i], &keys[i], &scripts[i]->err);
    while (count && ask_all(runs, count, asks, also))
        also = NULL;
    for (size_t i = 0; i < count; i++) {
        end(&runs[i]);
        scripts[i]->rc = runs[i].rc;
        scripts[i]->reply = runs[i].replies[SCRIPT];
    }
}

/* Nearly always there is one, and to allocate room for its keys would cost more than to fill it. */
void rv_rd_scripts_run(struct rv_rd *store, struct rv_rd_script *const *scripts, size_t count,
                       struct rv_rd_ask *also) {
    if (count <= 1) {
        struct run run;
        struct rv_rd_keys keys;
        struct rv_rd_ask asks[2];
        run_all(store, scripts, count, &run, &keys, asks, also);
        return;
    }
    struct run *runs = malloc(count * sizeof *runs);
    struct rv_rd_keys *keys = malloc(count * sizeof *keys);
    struct rv_rd_ask *asks = malloc((count + 1) * sizeof *asks);
    if (runs && keys && asks)
        run_all(store, scripts, count, runs, keys, asks, also);
    else
        fail_all(scripts, count);
    free(asks);
    free(keys);
    free(runs);
}

/* ---- answers ---- */
bool rv_rd_is_array(const redisReply *reply, size_t count) {
    return reply->type == REDIS_REPLY_ARRAY && reply->elements == count;
}

struct rv_bytes rv_rd_bytes(const redisReply *reply) {
    if (reply->type != REDIS_REPLY_STRING) return (struct rv_bytes){0};
    return (struct rv_bytes){reply->str, reply->len};
}

int rv_rd_fail_answer(const char *queue, struct rv_error *err) {
    return rv_fail(err, REEVE_ECORRUPT, "queue %s: the server's answer cannot be read", queue);
}
