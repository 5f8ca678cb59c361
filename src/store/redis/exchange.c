/* exchange: hand in, promote, claim. Each outcome goes to the shard of its claim; the claim goes to
 * the shard whose turn it is and, if that has no job, to others that have. What one exchange claims
 * comes from one shard: it is one lease. If the exchange may be answered in part, a shard that does
 * not answer leaves open what it alone can tell, and holds up nothing else. */
#include <stdlib.h>

#include "base/list.h"
#include "store/redis/fan.h"
#include "store/redis/peek.h"
#include "store/redis/swap.h"
#include "store/redis/vigil.h"

struct deal {
    struct rv_exchange *whole;
    struct rv_exchanged *out;
    bool settled[RV_CLAIM_MAX]; /* outcomes: their shard has answered */
};

/* An exchange with all shards but for the outcomes that are settled. */
struct hand {
    struct rv_rd *store;
    const struct rv_rd_split *split;
    struct deal *deal;
    struct rv_rd_turn turn;
    bool in_part;     /* it may be answered so, and there are several servers */
    bool brief;       /* nobody is to wait long for one that stands still, though it has all */
    bool answered;    /* some shard has */
    bool only_looks;  /* nothing is handed in, and nothing wanted */
    bool was_claimed; /* it repeats one that has brought jobs: of the shard of its turn */
    struct rv_rd_fan *fan;
    struct rv_outcome *outcomes; /* copies, by shard */
    size_t *from;                /* which outcome of the whole each copy is of */
    struct rv_exchange exchanges[RV_SHARDS_MAX];
    struct rv_rd_box *box; /* NULL: it is not to stand by */
    int away;              /* why shards did not answer, the worst of it, */
    struct rv_error why;   /* in words */
};

/* ---- outcomes ---- */
/* No shard has it any more. */
static void refuse(struct rv_outcome *outcome) {
    outcome->status = outcome->only_if_lapsed ? REEVE_ESTATE : REEVE_EFENCED;
}

/* Puts a copy of an outcome among those from first on: behind those under its lease, which is then
 * looked at once, or at the end. */
static void put_copy(struct hand *hand, size_t first, size_t count, size_t from, bool by_lease) {
    const struct rv_outcome *outcome = &hand->deal->whole->outcomes[from];
    size_t at = count;
    for (; by_lease && at > first; at--) {
        if (rv_rd_swap_order(&hand->outcomes[at - 1], outcome) <= 0) break;
        hand->outcomes[at] = hand->outcomes[at - 1];
        hand->from[at] = hand->from[at - 1];
    }
    hand->outcomes[at] = *outcome;
    hand->from[at] = from;
}

/* Is the outcome yet to be handed in, to that shard? */
static bool is_due(const struct hand *hand, size_t i, unsigned shard) {
    uint64_t token = hand->deal->whole->outcomes[i].token;
    return !hand->deal->settled[i] && rv_rd_split_claimed(hand->split, token) == shard;
}

/* Copies those of a shard behind the count that are there; returns how many there are then. They
 * may come in another order if they are all plain. That goes by what this shard gets alone: what is
 * left of a request is repeated there in the order in which it was sent (J7). */
static size_t copy_outcomes(struct hand *hand, unsigned shard, size_t count) {
    const struct rv_exchange *whole = hand->deal->whole;
    bool by_lease = true;
    size_t first = count;
    for (size_t i = 0; by_lease && i < whole->outcome_count; i++)
        if (is_due(hand, i, shard)) by_lease = rv_rd_swap_is_plain(&whole->outcomes[i]);
    for (size_t i = 0; i < whole->outcome_count; i++)
        if (is_due(hand, i, shard)) put_copy(hand, first, count++, i, by_lease);
    return count;
}

/* Sorts the outcomes by shard. */
static void sort_outcomes(struct hand *hand) {
    const struct rv_exchange *whole = hand->deal->whole;
    size_t count = 0;
    for (unsigned shard = 0; shard < hand->split->count; shard++) {
        struct rv_exchange *part = &hand->exchanges[shard];
        size_t first = count;
        count = copy_outcomes(hand, shard, count);
        *part = *whole;
        part->want = 0;
        part->stand_by_ms = hand->box || whole->again ? whole->stand_by_ms : 0;
        part->outcomes = hand->outcomes + first;
        part->outcome_count = count - first;
    }
    for (size_t i = 0; i < whole->outcome_count; i++)
        if (is_due(hand, i, hand->split->count)) refuse(&whole->outcomes[i]);
}

static void settle_outcomes(struct hand *hand, const struct rv_exchange *part) {
    size_t first = (size_t)(part->outcomes - hand->outcomes);
    for (size_t i = first; i < first + part->outcome_count; i++) {
        hand->deal->whole->outcomes[hand->from[i]].status = hand->outcomes[i].status;
        hand->deal->settled[hand->from[i]] = true;
    }
}

/* ---- answers ---- */
static void take_over(struct rv_exchanged *out, struct rv_exchanged *got) {
    out->more |= got->more;
    out->paused |= got->paused;
    out->replayed |= got->replayed;
    out->stands_by |= got->stands_by;
    rv_rd_sooner(&out->due_in_ms, got->due_in_ms);
    if (!got->count) {
        rv_exchanged_release(got);
        return;
    }
    out->jobs = got->jobs;
    out->count = got->count;
    out->token = got->token;
}

static int read_part(struct hand *hand, unsigned shard, const redisReply *reply,
                     struct rv_error *err) {
    struct rv_exchanged got = {.due_in_ms = -1};
    int rc = rv_rd_swap_read(reply, &hand->exchanges[shard], &got, err);
    if (rc) {
        rv_exchanged_release(&got);
        return rc;
    }
    hand->answered = true;
    settle_outcomes(hand, &hand->exchanges[shard]);
    if (hand->exchanges[shard].want)
        rv_rd_splits_saw(&hand->store->splits, hand->split, shard, !got.more);
    take_over(hand->deal->out, &got);
    return 0;
}

/* ---- the first round ---- outcomes to their shards, the claim to the one whose turn it is ---- */
static bool is_bare(const struct hand *hand, unsigned shard) {
    return hand->exchanges[shard].want && !hand->exchanges[shard].outcome_count;
}

/* Where the latest job came from, the next may be told before this is answered. Whoever has nothing
 * but that all is well to say is not heard first. */
static void listen_beside(struct rv_rd_script *script, const struct rv_rd_box *box) {
    script->beside = box->conn;
    script->passed_over = RV_RD_SWAP_HEAD_ALONE;
}

static void prepare_parts(struct hand *hand) {
    for (unsigned i = 0; i < hand->fan->count; i++) {
        struct rv_rd_part *part = &hand->fan->parts[i];
        const struct rv_exchange *exchange = &hand->exchanges[i];
        part->wanted = exchange->want || exchange->outcome_count || hand->only_looks;
        if (part->wanted) rv_rd_swap_prepare(&part->script, exchange);
        if (hand->box && hand->box->fed) listen_beside(&part->script, hand->box);
        /* There are others, and nothing of ours can lie there: it is not waited for. */
        bool news = hand->split->count > 1 && hand->turn.is_news && is_bare(hand, i);
        part->script.once = news || hand->in_part || hand->brief;
        part->script.brief = part->script.spare = hand->in_part || hand->brief;
    }
}

/* ---- shards that do not answer ---- */
static bool is_away(int rc) {
    return rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE;
}

/* The claim of this request may have been made in that shard, now or when it was sent before: then
 * none is made elsewhere, and a repeat will meet it. */
static void doubt_claim(struct hand *hand, unsigned shard, int rc) {
    bool sent = rc == REEVE_EUNSURE || hand->turn.repeats || hand->deal->whole->doubt;
    if (!sent) return;
    hand->deal->out->doubt = shard + 1;
    hand->deal->out->more = true;
}

/* What it alone can tell is not known: its outcomes, and whether it was claimed from. */
static void leave_open(struct hand *hand, unsigned shard, int rc) {
    const struct rv_exchange *exchange = &hand->exchanges[shard];
    size_t first = (size_t)(exchange->outcomes - hand->outcomes);
    for (size_t i = first; i < first + exchange->outcome_count; i++)
        hand->deal->whole->outcomes[hand->from[i]].status = rc;
    if (!exchange->want) return;
    rv_rd_splits_saw(&hand->store->splits, hand->split, shard, true);
    doubt_claim(hand, shard, rc);
}

static void leave_away_open(struct hand *hand) {
    hand->away = rv_rd_fan_judge(hand->fan, &hand->why);
    for (unsigned i = 0; i < hand->fan->count; i++) {
        struct rv_rd_part *part = &hand->fan->parts[i];
        if (!part->wanted || !is_away(part->script.rc)) continue;
        leave_open(hand, i, part->script.rc);
        part->wanted = false;
    }
}

/* Nobody was heard of: is that because nobody is there? */
static int look_around(struct hand *hand, struct rv_error *err) {
    struct rv_rd_peek peek;
    int rc = rv_rd_peek(hand->store, hand->split, hand->in_part, &peek, err);
    if (rc || peek.missed < hand->split->count) return rc;
    return rv_fail(err, hand->away, "%s", hand->why.text);
}

/* A shard that only has to be asked for jobs, and cannot be, has none for us. */
static void forgive(struct hand *hand) {
    struct rv_rd_part *part = &hand->fan->parts[hand->turn.shard];
    if (hand->split->count == 1 || !is_bare(hand, hand->turn.shard)) return;
    if (part->script.rc == REEVE_EUNREACHABLE) part->wanted = false;
    if (part->script.rc == REEVE_EUNREACHABLE)
        rv_rd_splits_saw(&hand->store->splits, hand->split, hand->turn.shard, true);
}

static void prepare_round(struct hand *hand) {
    rv_rd_splits_asks(&hand->store->splits, hand->split, &hand->turn, hand->turn.shard);
    prepare_parts(hand);
}

static int read_round(struct hand *hand, struct rv_error *err) {
    if (hand->in_part)
        leave_away_open(hand);
    else
        forgive(hand);
    int rc = rv_rd_fan_judge(hand->fan, err), bad = 0;
    for (unsigned i = 0; i < hand->fan->count; i++) {
        const redisReply *reply = hand->fan->parts[i].script.reply;
        if (reply && !bad) bad = read_part(hand, i, reply, err);
    }
    return rc ? rc : bad;
}

/* ---- the others ---- */
static int claim_from(struct hand *hand, unsigned shard, bool once, struct rv_error *err) {
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_EXCHANGE,
                                  .shard = rv_rd_split_shard(hand->split, shard),
                                  .args = &args,
                                  .once = once,
                                  .brief = once && hand->in_part,
                                  .spare = once && hand->in_part,
                                  .timeout_ms = hand->deal->whole->timeout_ms};
    struct rv_exchange *exchange = &hand->exchanges[shard];
    redisReply *reply = NULL;
    *exchange = *hand->deal->whole;
    exchange->outcome_count = 0;
    rv_rd_splits_asks(&hand->store->splits, hand->split, &hand->turn, shard);
    rv_rd_args_init(&args, rv_rd_swap_bytes(0));
    rv_rd_swap_prepare(&script, exchange);
    int rc = rv_rd_script_run(hand->store, &script, &reply, err);
    if (!rc) rc = read_part(hand, shard, reply, err);
    rv_rd_replies_free(&reply, 1);
    rv_rd_args_release(&args);
    return rc;
}

/* Outcomes of this very request were handed in there: what it asked for now would be taken for a
 * repeat (J7). */
static bool has_answered(const struct hand *hand, unsigned shard) {
    return hand->turn.lane && hand->exchanges[shard].outcome_count;
}

/* The one whose turn it was has no more: looks at all of them, and claims where there are jobs. */
static int go_on(struct hand *hand, struct rv_error *err) {
    struct rv_exchanged *out = hand->deal->out;
    struct rv_rd_peek peek;
    unsigned count = hand->split->count, first = hand->turn.shard;
    int rc = rv_rd_peek(hand->store, hand->split, hand->in_part, &peek, err);
    if (rc && out->count) out->more = true; /* there may be: no reason to let go of these */
    if (rc) return out->count ? 0 : rc;
    bool hurried = hand->brief || hand->deal->whole->outcome_count;
    if (peek.missed == count && hand->away && !hand->answered && hurried)
        return rv_fail(err, hand->away, "%s", hand->why.text);
    if (peek.missed == count && !out->count && !hurried)
        return claim_from(hand, first, false, err); /* nobody is there: time to be patient */
    for (unsigned i = 1; !rc && !out->count && i <= count; i++) {
        unsigned shard = (first + i) % count;
        if (!(peek.ready >> shard & 1) || has_answered(hand, shard)) continue;
        rc = claim_from(hand, shard, true, err);
        if (rc == REEVE_EUNSURE && hand->in_part) {
            doubt_claim(hand, shard, rc);
            return 0;
        }
        if (rc == REEVE_EUNREACHABLE) rc = 0;
        peek.ready &= ~(UINT64_C(1) << shard);
    }
    out->more |= peek.ready != 0 || peek.held;
    out->paused |= peek.paused;
    rv_rd_sooner(&out->due_in_ms, peek.due_in_ms);
    if (hand->in_part && peek.missed) rv_rd_sooner(&out->due_in_ms, RV_RD_AWAY_MS);
    return rc;
}

/* ---- the step ---- */
/* What is left of a request: it is asked for where it was left. */
static int resume(struct hand *hand) {
    unsigned shard = hand->deal->whole->doubt - 1;
    bool there = hand->deal->whole->doubt && shard < hand->split->count;
    hand->turn.shard = there ? shard : 0;
    return 0;
}

/* J7: a repeat is to meet what the first has claimed. Unless it is sure to be none, the shards are
 * asked for it. */
static int choose_shard(struct hand *hand, struct rv_error *err) {
    struct rv_rd_turn *turn = &hand->turn;
    struct rv_rd_trace trace = {0};
    rv_rd_splits_lane(&hand->store->splits, hand->split, turn);
    if (hand->in_part && (hand->deal->whole->doubt || !hand->deal->whole->want))
        return resume(hand);
    int rc = turn->is_news ? 0
                           : rv_rd_trace(hand->store, hand->split, turn->lane, turn->number,
                                         hand->in_part, &trace, err);
    if (rc) return rc;
    if (trace.late) return rv_rd_swap_fail_late(hand->split->queue, err);
    hand->was_claimed = trace.claimed;
    if (trace.claimed)
        turn->shard = trace.shard;
    else if (!turn->repeats && hand->deal->whole->want)
        rv_rd_splits_turn(&hand->store->splits, hand->split, turn);
    return 0;
}

/* How many jobs to ask for first; those of a shard that is no more nobody can have. */
static size_t jobs_wanted(const struct hand *hand) {
    const struct rv_exchange *whole = hand->deal->whole;
    return whole->doubt > hand->split->count ? 0 : whole->want;
}

/* Whether the claim is told, as far as it will be. */
static bool is_claimed(const struct hand *hand) {
    const struct rv_exchanged *out = hand->deal->out;
    if (!hand->deal->whole->want || hand->split->count == 1) return true;
    if (out->doubt || hand->deal->whole->doubt) return true;
    if (out->count && out->more) return true;
    return hand->was_claimed && out->replayed; /* it has no others, now as before */
}

/* All that is asked first is ready to be sent. */
static int begin(struct hand *hand, struct rv_error *err) {
    struct deal *deal = hand->deal;
    rv_exchanged_release(deal->out);
    *deal->out = (struct rv_exchanged){.due_in_ms = -1};
    int rc = hand->split->count > 1 ? choose_shard(hand, err) : 0;
    if (rc) return rc;
    sort_outcomes(hand);
    hand->exchanges[hand->turn.shard].want = jobs_wanted(hand);
    prepare_round(hand);
    return 0;
}

/* And here is what came of it. */
static int end(struct hand *hand, struct rv_error *err) {
    int rc = read_round(hand, err);
    if (!rc && !is_claimed(hand)) return go_on(hand, err);
    return !rc && hand->away && !hand->answered ? look_around(hand, err) : rc;
}

/* Jobs of a queue of several shards come to any of them: who stands by at one misses the others. */
static bool may_stand_by(const struct hand *hand) {
    const struct rv_exchange *whole = hand->deal->whole;
    return whole->stand_by_ms && whole->want && whole->lane && hand->split->count == 1 &&
           rv_rd_is_patient(&hand->store->base);
}

static int open_hand(struct hand *hand, struct rv_rd *store, const struct rv_rd_split *split,
                     struct deal *deal, struct rv_error *err) {
    const struct rv_exchange *whole = deal->whole;
    bool in_cluster = store->topology.shape == RV_RD_CLUSTER;
    *hand = (struct hand){.store = store,
                          .split = split,
                          .deal = deal,
                          .turn = {.lane = whole->lane, .number = whole->number},
                          .in_part = whole->in_part && split->count > 1 && in_cluster,
                          .brief = whole->brief && in_cluster,
                          .only_looks = !whole->want && !whole->outcome_count};
    if (may_stand_by(hand) && !whole->again) {
        const struct rv_rd_shard at = rv_rd_split_shard(split, 0);
        hand->box = rv_rd_vigil_open(store, &at, whole);
    }
    hand->fan = rv_rd_fan_create(split, RV_REDIS_LUA_EXCHANGE, whole->timeout_ms,
                                 rv_rd_swap_bytes(whole->outcome_count));
    hand->outcomes = calloc(whole->outcome_count + 1, sizeof *hand->outcomes);
    hand->from = calloc(whole->outcome_count + 1, sizeof *hand->from);
    if (hand->fan && hand->outcomes && hand->from) return 0;
    return rv_fail(err, REEVE_ENOMEM, "out of memory");
}

/* If it is not known whether it stands by, nobody is to think that it listens. */
static void close_box(struct hand *hand, int rc) {
    if (!hand->box) return;
    if (rc) hand->box->conn->broken = true;
    if (!hand->deal->out->stands_by) hand->box->fed = false;
    rv_rd_boxes_give(&hand->store->vigils, hand->box);
}

static void close_hand(struct hand *hand, int rc) {
    close_box(hand, rc);
    rv_rd_fan_destroy(hand->fan);
    free(hand->outcomes);
    free(hand->from);
}

static int exchange(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
                    struct rv_error *err) {
    struct hand hand;
    int rc = open_hand(&hand, store, split, arg, err);
    if (!rc) rc = begin(&hand, err);
    if (!rc) {
        rv_rd_fan_run(store, hand.fan, NULL);
        rc = end(&hand, err);
    }
    close_hand(&hand, rc);
    return rc;
}

static int exchange_alone(struct rv_rd *store, struct deal *deal, struct rv_error *err) {
    return rv_rd_split_over(store, deal->whole->queue, exchange, deal, err);
}

int rv_rd_exchange(struct rv_store *s, struct rv_exchange *whole, struct rv_exchanged *out,
                   struct rv_error *err) {
    struct deal deal = {.whole = whole, .out = out};
    int rc = exchange_alone(rv_container_of(s, struct rv_rd, base), &deal, err);
    if (rc) rv_exchanged_release(out); /* it is told again when the request is repeated */
    return rc;
}

/* ---- several queues ---- what is asked first of each goes to all their nodes at once ---- */
struct side {
    struct rv_trade *trade;
    struct rv_rd_split split;
    struct deal deal;
    struct hand hand;
    bool sent; /* with the others: else it is made alone */
};

static void open_side(struct rv_rd *store, struct side *side, struct rv_trade *trade) {
    side->trade = trade;
    side->deal = (struct deal){.whole = trade->exchange, .out = &trade->got};
    bool known = rv_rd_splits_find(&store->splits, trade->exchange->queue, &side->split);
    trade->rc = open_hand(&side->hand, store, &side->split, &side->deal, &trade->err);
    if (trade->rc || (!known && store->url.shards > 1)) return;
    trade->rc = begin(&side->hand, &trade->err);
    side->sent = !trade->rc;
}

static void close_side(struct rv_rd *store, struct side *side) {
    struct rv_trade *trade = side->trade;
    bool alone = !side->sent && !trade->rc;
    if (side->sent) trade->rc = end(&side->hand, &trade->err);
    if (trade->rc == RV_RD_STALE) alone = true;
    close_hand(&side->hand, trade->rc);
    if (alone) trade->rc = exchange_alone(store, &side->deal, &trade->err);
    if (trade->rc) rv_exchanged_release(&trade->got);
}

static void run_sides(struct rv_rd *store, struct side *sides, size_t count,
                      struct rv_rd_script **scripts) {
    size_t script_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct rv_rd_fan *fan = sides[i].hand.fan;
        for (unsigned j = 0; sides[i].sent && j < fan->count; j++)
            if (fan->parts[j].wanted) scripts[script_count++] = &fan->parts[j].script;
    }
    if (script_count) rv_rd_scripts_run(store, scripts, script_count, NULL);
}

void rv_rd_exchange_all(struct rv_store *s, struct rv_trade *trades, size_t count) {
    struct rv_rd *store = rv_container_of(s, struct rv_rd, base);
    struct side *sides = calloc(count, sizeof *sides);
    struct rv_rd_script **scripts = calloc(count * RV_SHARDS_MAX, sizeof(*scripts));
    bool room = sides && scripts;
    for (size_t i = 0; i < count; i++) {
        if (room)
            open_side(store, &sides[i], &trades[i]);
        else
            trades[i].rc = rv_fail(&trades[i].err, REEVE_ENOMEM, "out of memory");
    }
    if (room) run_sides(store, sides, count, scripts);
    for (size_t i = 0; room && i < count; i++)
        close_side(store, &sides[i]);
    free(scripts);
    free(sides);
}
