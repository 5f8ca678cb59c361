#include "store/redis/call.h"

#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "store/redis/errors.h"
#include "store/redis/key.h"

enum {
    PAUSE_MS_MIN = 5,
    PAUSE_MS_MAX = 250,
    TRY_MS_MIN = 20, /* with less it would only leave doubt */
    FEW = 4,         /* pieces that need no memory of their own */
    CONNECT_MS =
        2000, /* for one of several servers: who is away may have been followed by another */
    HOPS_AT_ONCE = 2,   /* redirections before it is time to pause */
    PATIENCE_MS = 1000, /* for what is brief: a key that is moved takes half of it, or */
    PATIENCE_PART = 4,  /* such a part of the time-out, if that is less */
    TRIAL_PATIENCE = 3,
    SEEK_MS = 500,       /* if there is one server: its address may have come to mean the primary */
    SPARE_LOOK_MS = 250, /* between looks for what was spared: it fails fast, and often */
};

/* What of an ask is yet to be answered: all its commands, or one that was put off. */
struct piece {
    struct rv_rd_ask *ask; /* NULL: nothing is due any more */
    size_t from, count;    /* its commands */
    unsigned slot;
    const struct rv_rd_target *sent_to; /* where it was redirected to; NULL: nowhere */
    bool asking;                        /* it is to say so there, this once */
    unsigned hops;
    const struct rv_rd_target *asked; /* by whom it was last put off */
    struct rv_rd_talk *talk;          /* in this round; NULL: it could not be asked, */
    bool in_vain;                     /* nor is to be tried again: others go on without it */
    struct rv_rd_batch batch;
    struct rv_rd_command pairs[2 * RV_RD_CHAIN_MAX]; /* ASKING, and what is asked */
    redisReply *replies[2 * RV_RD_CHAIN_MAX];        /* to those */
};

struct call {
    struct rv_rd *store;
    int64_t deadline_ms, pause_ms, patience_ms;
    int64_t began_ms;
    int64_t heard_ms; /* when an answer came last, or it began */
    struct piece *pieces;
    size_t count;
    struct rv_rd_talk talks[RV_RD_TALKS_MAX];
    size_t talk_count;
    bool pause; /* before the next round */
};

/* ---- what replies mean ---- */
static bool has_remedy(const redisReply *reply, enum rv_rd_remedy remedy) {
    return reply->type == REDIS_REPLY_ERROR && rv_rd_error_find(reply->str)->remedy == remedy;
}

bool rv_rd_reply_is_noscript(const redisReply *reply) {
    return has_remedy(reply, RV_RD_RELOAD);
}

static bool is_redirected(const struct rv_rd *store, const redisReply *reply) {
    return store->topology.shape == RV_RD_CLUSTER && has_remedy(reply, RV_RD_REDIRECT);
}

/* A replica was named as if it were the only server: nobody can tell who its primary is. */
static bool is_lone_replica(const struct call *call, const redisReply *reply) {
    return call->store->topology.shape == RV_RD_ONE && has_remedy(reply, RV_RD_SEEK);
}

/* Nothing happened, and it may if one asks again, or elsewhere. */
static bool was_put_off(const struct call *call, const redisReply *reply) {
    if (is_redirected(call->store, reply)) return true;
    if (is_lone_replica(call, reply))
        return rv_clock_boot_ms(&rv_clock_real) < call->began_ms + SEEK_MS;
    if (has_remedy(reply, RV_RD_SEEK)) return true;
    if (!has_remedy(reply, RV_RD_RETRY) && !has_remedy(reply, RV_RD_RERESOLVE)) return false;
    return rv_rd_error_find(reply->str)->error == REEVE_EUNREACHABLE;
}

void rv_rd_replies_free(redisReply **replies, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (replies[i]) freeReplyObject(replies[i]);
        replies[i] = NULL;
    }
}

/* ---- how an ask ends ---- */
static void end_ask(struct call *call, struct rv_rd_ask *ask, int rc) {
    if (rc && ask->obeyed) rc = ask->err.code = REEVE_EUNSURE;
    ask->rc = rc;
    if (rc) rv_rd_replies_free(ask->replies, ask->count);
    for (size_t i = 0; rc && i < call->count; i++)
        if (call->pieces[i].ask == ask) call->pieces[i].ask = NULL;
}

/* Of the tries that failed the last tells most, unless all it lacked was time. */
static void note_failure(const struct call *call, struct rv_rd_ask *ask,
                         const struct rv_error *err) {
    bool late = rv_clock_boot_ms(&rv_clock_real) >= call->deadline_ms;
    if (!late || !ask->err.code) ask->err = *err;
}

/* The connection failed, or there was none. Whether that is the end is up to what it leaves. */
static void fail_piece(struct call *call, struct piece *piece, int rc, struct rv_error *err) {
    struct rv_rd_ask *ask = piece->ask;
    bool lost = rc == REEVE_EUNSURE && ask->harmless;
    if (lost) rc = rv_rd_only_asked(rc, err);
    note_failure(call, ask, err);
    if (rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE)
        rv_rd_topology_doubt(&call->store->topology, ask->spare ? SPARE_LOOK_MS : 0);
    bool in_vain = ask->once || piece->in_vain || atomic_load(&call->store->topology.refused);
    if (rc == REEVE_EUNREACHABLE && !in_vain)
        call->pause = true;
    else
        end_ask(call, ask, rc);
}

/* A reply that will not be asked for again. */
static int check(const struct call *call, const struct piece *piece, const redisReply *reply,
                 struct rv_error *err) {
    if (reply->type != REDIS_REPLY_ERROR || rv_rd_reply_is_noscript(reply)) return 0;
    if (is_redirected(call->store, reply))
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: redirected once too often (%.200s)",
                       piece->asked->shown, reply->str);
    if (is_lone_replica(call, reply))
        return rv_fail(err, REEVE_EUNREACHABLE,
                       "%s: it is a replica, which takes no writes: name its primary, or the "
                       "Sentinels that know it (redis+sentinel://) (%.200s)",
                       piece->asked->shown, reply->str);
    return rv_rd_error_fail(piece->asked->shown, reply->str, err);
}

/* ---- time ---- */
static bool in_cluster(const struct call *call) {
    return call->store->topology.shape == RV_RD_CLUSTER;
}

static bool is_brief(const struct call *call, const struct rv_rd_ask *ask) {
    return ask->brief && in_cluster(call);
}

/* When it is too late to ask again. */
static int64_t until_ms(const struct call *call) {
    for (size_t i = 0; i < call->count; i++) {
        const struct rv_rd_ask *ask = call->pieces[i].ask;
        if (ask && !is_brief(call, ask)) return call->deadline_ms;
    }
    int64_t soon_ms = rv_time_add(call->heard_ms, call->patience_ms);
    return soon_ms < call->deadline_ms ? soon_ms : call->deadline_ms;
}

/* For an answer. One that came too late before is given longer: it may be slow, and no more. */
static int64_t patience_ms(const struct call *call, const struct rv_rd_target *target) {
    return call->patience_ms + TRIAL_PATIENCE * rv_rd_target_trial_ms(target);
}

/* Until when a new connection is to stand. */
static int64_t connect_until_ms(const struct call *call, const struct rv_rd_ask *ask,
                                const struct rv_rd_target *target, int64_t now_ms) {
    int64_t most_ms = call->store->topology.shape == RV_RD_ONE ? INT64_MAX : CONNECT_MS;
    if (is_brief(call, ask)) {
        int64_t trial_ms = rv_rd_target_trial_ms(target);
        most_ms = trial_ms && trial_ms < call->patience_ms ? trial_ms : call->patience_ms;
    }
    int64_t soon_ms = rv_time_add(now_ms, most_ms);
    return soon_ms < call->deadline_ms ? soon_ms : call->deadline_ms;
}

static void stall(struct call *call, const struct rv_rd_target *target) {
    if (!in_cluster(call)) return; /* where there are no others to go on with */
    rv_rd_target_stalled(target, rv_clock_boot_ms(&rv_clock_real));
    rv_rd_pool_drop(&call->store->pool, target);
}

/* ---- sending ---- */
static int find_target(struct call *call, const struct piece *piece,
                       const struct rv_rd_target **out, struct rv_error *err) {
    *out = piece->sent_to ? piece->sent_to : piece->ask->node;
    if (*out) return 0;
    return rv_rd_topology_find(&call->store->topology, piece->slot, call->deadline_ms, out, err);
}

static int open_talk(struct call *call, struct piece *piece, const struct rv_rd_target *target,
                     struct rv_rd_talk **out, struct rv_error *err) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    piece->in_vain = piece->ask->spare && in_cluster(call) && rv_rd_target_rests(target, now_ms);
    if (piece->in_vain)
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: did not answer, and is left alone for now",
                       target->shown);
    int64_t last_ms = connect_until_ms(call, piece->ask, target, now_ms);
    struct rv_rd_talk *talk = &call->talks[call->talk_count];
    *talk = (struct rv_rd_talk){.patience_ms = patience_ms(call, target)};
    int rc = rv_rd_pool_take(&call->store->pool, target, last_ms, &talk->conn, err);
    now_ms = rv_clock_boot_ms(&rv_clock_real);
    piece->in_vain = rc && is_brief(call, piece->ask);
    if (rc == REEVE_EUNREACHABLE) rv_rd_target_silent(target, now_ms);
    if (rc == REEVE_EUNREACHABLE && now_ms >= last_ms) stall(call, target);
    if (rc) return rc;
    call->talk_count++;
    *out = talk;
    return 0;
}

/* What goes to one server goes over one connection. */
static int find_talk(struct call *call, struct piece *piece, struct rv_rd_talk **out,
                     struct rv_error *err) {
    const struct rv_rd_target *target = NULL;
    int rc = find_target(call, piece, &target, err);
    if (rc) return rc;
    for (size_t i = 0; i < call->talk_count; i++)
        if (call->talks[i].conn->target == target) {
            *out = &call->talks[i];
            return 0;
        }
    if (call->talk_count < RV_RD_TALKS_MAX) return open_talk(call, piece, target, out, err);
    *out = NULL; /* in the next round */
    return 0;
}

static void fill_pairs(struct piece *piece) {
    static const char *const asking[] = {"ASKING"};
    for (size_t i = 0; i < piece->count; i++) {
        piece->pairs[2 * i] = (struct rv_rd_command){.argc = 1, .argv = asking};
        piece->pairs[2 * i + 1] = piece->ask->commands[piece->from + i];
    }
}

static void add_batch(const struct call *call, struct piece *piece) {
    struct rv_rd_ask *ask = piece->ask;
    rv_rd_replies_free(&ask->replies[piece->from], piece->count);
    if (!is_brief(call, ask)) piece->talk->patience_ms = 0;
    if (ask->beside) {
        piece->talk->beside = ask->beside;
        piece->talk->passed_over = ask->passed_over;
    }
    piece->asked = piece->talk->conn->target;
    if (piece->asking) fill_pairs(piece);
    size_t count = piece->asking ? 2 * piece->count : piece->count;
    piece->batch = (struct rv_rd_batch){
        .commands = piece->asking ? piece->pairs : &ask->commands[piece->from],
        .command_count = count,
        .replies = piece->asking ? piece->replies : &ask->replies[piece->from],
        .count = count,
    };
    struct rv_rd_batch **end = &piece->talk->first;
    while (*end)
        end = &(*end)->next;
    *end = &piece->batch;
}

static void send_piece(struct call *call, struct piece *piece) {
    struct rv_error err;
    piece->talk = NULL;
    if (!piece->ask) return;
    int rc = find_talk(call, piece, &piece->talk, &err);
    if (rc)
        fail_piece(call, piece, rc, &err);
    else if (piece->talk)
        add_batch(call, piece);
}

/* ---- receiving ---- */
/* A server that is not the one any more is left: its name may mean another by now. */
static void leave(struct call *call, const struct piece *piece) {
    piece->talk->conn->broken = true;
    rv_rd_topology_doubt(&call->store->topology, 0);
}

/* What to do about a reply that says: not now, or not here. */
static void heed(struct call *call, struct piece *piece, const redisReply *reply) {
    struct rv_rd_address to;
    unsigned slot;
    if (has_remedy(reply, RV_RD_RERESOLVE) || has_remedy(reply, RV_RD_SEEK)) leave(call, piece);
    bool redirected =
        is_redirected(call->store, reply) && rv_rd_redirect_parse(reply->str, &slot, &to);
    if (!redirected) {
        call->pause = true;
        return;
    }
    struct rv_rd_topology *topology = &call->store->topology;
    piece->sent_to = rv_rd_topology_redirect(topology, piece->asked, &to);
    piece->asking = piece->sent_to && rv_rd_is_asking(reply->str);
    if (!piece->asking) rv_rd_topology_doubt(topology, 0);
    if (++piece->hops > HOPS_AT_ONCE) call->pause = true;
}

/* A command that was put off is asked again by itself: the others have had their answer. Returns
 * the piece that is to be. */
static struct piece *split(struct call *call, struct piece *piece, size_t i) {
    if (piece->count == 1) return piece;
    struct piece *single = &call->pieces[call->count++];
    *single = *piece;
    single->from = i;
    single->count = 1;
    return single;
}

/* What a piece is to be asked again for; NULL: nothing. */
static const redisReply *find_put_off(const struct call *call, const struct piece *piece) {
    for (size_t i = piece->from; i < piece->from + piece->count; i++) {
        const redisReply *reply = piece->ask->replies[i];
        if (reply && was_put_off(call, reply)) return reply;
    }
    return NULL;
}

static void take_chain(struct call *call, struct piece *piece) {
    struct rv_rd_ask *ask = piece->ask;
    const redisReply *put_off = find_put_off(call, piece);
    if (ask->replies[0]->type != REDIS_REPLY_ERROR) ask->obeyed = true;
    if (put_off)
        heed(call, piece, put_off);
    else
        piece->ask = NULL;
}

/* Those to what was asked are the ask's. */
static void part_pairs(struct piece *piece) {
    for (size_t i = 0; i < piece->count; i++) {
        piece->ask->replies[piece->from + i] = piece->replies[2 * i + 1];
        piece->replies[2 * i + 1] = NULL;
    }
    rv_rd_replies_free(piece->replies, 2 * piece->count);
}

static void take_replies(struct call *call, struct piece *piece) {
    struct rv_rd_ask *ask = piece->ask;
    bool again = false;
    if (piece->asking) part_pairs(piece);
    piece->sent_to = NULL;
    piece->asking = false;
    if (ask->chained) {
        take_chain(call, piece);
        return;
    }
    for (size_t i = piece->from; i < piece->from + piece->count; i++) {
        if (!was_put_off(call, ask->replies[i])) continue;
        again = true;
        heed(call, split(call, piece, i), ask->replies[i]);
    }
    if (!again || piece->count > 1) piece->ask = NULL;
}

/* Whether a reply ends its ask. */
static void judge(struct call *call, const struct piece *piece, struct rv_rd_ask *ask, size_t i) {
    const redisReply *reply = ask->replies[i];
    if (ask->rc || !reply || was_put_off(call, reply)) return;
    struct rv_error err;
    int rc = check(call, piece, reply, &err);
    if (!rc) return;
    ask->err = err;
    end_ask(call, ask, rc);
}

static void receive_piece(struct call *call, struct piece *piece) {
    struct rv_rd_ask *ask = piece->ask;
    if (!ask || !piece->talk) return;
    if (piece->batch.rc) {
        struct rv_error err;
        piece->sent_to = NULL;
        piece->asking = false;
        (void)rv_rd_conn_fail(piece->talk->conn, piece->batch.rc, &err);
        rv_rd_target_silent(piece->talk->conn->target, rv_clock_boot_ms(&rv_clock_real));
        if (piece->talk->conn->late) stall(call, piece->talk->conn->target);
        fail_piece(call, piece, piece->batch.rc, &err);
        return;
    }
    size_t from = piece->from, count = piece->count;
    rv_rd_target_answered(piece->talk->conn->target);
    call->heard_ms = rv_clock_boot_ms(&rv_clock_real);
    take_replies(call, piece);
    for (size_t i = from; i < from + count; i++)
        judge(call, piece, ask, i);
}

/* ---- rounds ---- */
static void go_round(struct call *call) {
    size_t count = call->count; /* pieces that come up in it are for the next */
    call->talk_count = 0;
    call->pause = false;
    for (size_t i = 0; i < count; i++)
        send_piece(call, &call->pieces[i]);
    rv_rd_conn_talk(call->talks, call->talk_count, call->deadline_ms);
    for (size_t i = 0; i < count; i++)
        receive_piece(call, &call->pieces[i]);
    for (size_t i = 0; i < call->talk_count; i++)
        rv_rd_pool_give(&call->store->pool, call->talks[i].conn);
}

/* Sleeps a random moment, longer each time, so that many clients do not come back at once. False
 * when there is no time for another try. */
static bool pause_before_retry(struct call *call) {
    int64_t left_ms = until_ms(call) - rv_clock_boot_ms(&rv_clock_real);
    int64_t ms = call->pause ? 1 + rv_random_below(&rv_random_system, call->pause_ms) : 0;
    if (left_ms < ms + TRY_MS_MIN) return false;
    if (!call->pause) return true;
    call->pause_ms *= 2;
    if (call->pause_ms > PAUSE_MS_MAX) call->pause_ms = PAUSE_MS_MAX;
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&pause, NULL);
    return true;
}

static bool is_any_due(const struct call *call) {
    for (size_t i = 0; i < call->count; i++)
        if (call->pieces[i].ask) return true;
    return false;
}

/* The time is over for what is still due. */
static void give_up(struct call *call) {
    for (size_t i = 0; i < call->count; i++) {
        struct piece *piece = &call->pieces[i];
        struct rv_rd_ask *ask = piece->ask;
        if (!ask) continue;
        const redisReply *reply = find_put_off(call, piece);
        int rc = reply ? check(call, piece, reply, &ask->err) : REEVE_EUNREACHABLE;
        end_ask(call, ask, rc);
    }
}

static size_t count_pieces(const struct rv_rd_ask *asks, size_t count) {
    size_t pieces = count;
    for (size_t i = 0; i < count; i++)
        if (asks[i].count > 1 && !asks[i].chained) pieces += asks[i].count;
    return pieces;
}

static unsigned slot_of(const struct rv_rd *store, const struct rv_rd_shard *shard) {
    return store->topology.shape == RV_RD_CLUSTER ? rv_rd_key_slot(store, shard) : 0;
}

static void set_pieces(struct call *call, struct rv_rd_ask *asks, size_t count) {
    for (size_t i = 0; i < count; i++) {
        asks[i].rc = asks[i].err.code = 0;
        asks[i].obeyed = false;
        for (size_t j = 0; j < asks[i].count; j++)
            asks[i].replies[j] = NULL;
        call->pieces[i] = (struct piece){
            .ask = &asks[i], .count = asks[i].count, .slot = slot_of(call->store, asks[i].shard)};
    }
    call->count = count;
}

void rv_rd_call_many(struct rv_rd *store, struct rv_rd_ask *asks, size_t count,
                     int64_t timeout_ms) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    int64_t part_ms = timeout_ms / PATIENCE_PART;
    int64_t replicas_ms = store->url.wait_replicas ? store->url.wait_ms : 0;
    struct call call = {.store = store,
                        .deadline_ms = rv_time_add(now_ms, timeout_ms),
                        .pause_ms = PAUSE_MS_MIN,
                        .began_ms = now_ms,
                        .heard_ms = now_ms,
                        .patience_ms = part_ms < PATIENCE_MS ? part_ms : PATIENCE_MS};
    call.patience_ms += replicas_ms;
    struct piece few[FEW];
    size_t most = count_pieces(asks, count);
    call.pieces = most <= FEW ? few : calloc(most, sizeof *call.pieces);
    if (!call.pieces) {
        for (size_t i = 0; i < count; i++)
            asks[i].rc = rv_fail(&asks[i].err, REEVE_ENOMEM, "out of memory");
        return;
    }
    set_pieces(&call, asks, count);
    do {
        go_round(&call);
    } while (is_any_due(&call) && pause_before_retry(&call));
    give_up(&call);
    if (call.pieces != few) free(call.pieces);
}

int rv_rd_call(struct rv_rd *store, const struct rv_rd_shard *shard,
               const struct rv_rd_command *commands, size_t count, int64_t timeout_ms,
               redisReply **replies, struct rv_error *err) {
    struct rv_rd_ask ask = {
        .shard = shard, .commands = commands, .count = count, .replies = replies};
    rv_rd_call_many(store, &ask, 1, timeout_ms);
    if (ask.rc && err) *err = ask.err;
    return ask.rc;
}

int rv_rd_find(struct rv_rd *store, const struct rv_rd_shard *shard, int64_t deadline_ms,
               const struct rv_rd_target **out, struct rv_error *err) {
    return rv_rd_topology_find(&store->topology, slot_of(store, shard), deadline_ms, out, err);
}

int rv_rd_connect(struct rv_rd *store, const struct rv_rd_shard *shard, int64_t deadline_ms,
                  struct rv_rd_conn **out, struct rv_error *err) {
    const struct rv_rd_target *target;
    int rc = rv_rd_find(store, shard, deadline_ms, &target, err);
    if (!rc) rc = rv_rd_conn_open(target, deadline_ms, out, err);
    if (rc == REEVE_EUNREACHABLE) rv_rd_topology_doubt(&store->topology, 0);
    return rc;
}
