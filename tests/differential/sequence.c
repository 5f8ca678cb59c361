#include "differential/sequence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDES = 2, SALT_STEP = 1 << 20, DRAIN_MAX = 256, DRAIN_MINUTES = 10 };

struct trial {
    struct rv_clock clock;
    struct side sides[SIDES];
    char *answers[SIDES];
    FILE *story; /* NULL: nobody listens */
};

/* ---- making ---- */
static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

struct op *sequence_make(uint64_t seed, uint64_t number, size_t length) {
    struct op *ops = calloc(length, sizeof *ops);
    if (!ops) abort();
    uint64_t state = seed * UINT64_C(0xd1342543de82ef95) + number;
    for (size_t i = 0; i < length; i++) {
        ops[i].subject = number % 4 == 3 ? OF_STREAMS : OF_JOBS;
        ops[i].verb = (uint32_t)(next_random(&state) >> 32);
        for (int j = 0; j < DICE; j++)
            ops[i].dice[j] = (uint32_t)(next_random(&state) >> 32);
    }
    return ops;
}

/* ---- running ---- */
static int trial_open(struct trial *trial, struct duel *duel) {
    static const char *const names[SIDES] = {"memory", "store"};
    const char *const urls[SIDES] = {duel->oracle_url, duel->url};
    char space[64];
    uint64_t salt = duel->salt += SALT_STEP;
    (void)snprintf(space, sizeof space, "d%" PRIx64, salt);
    for (int i = 0; i < SIDES; i++) {
        if (!side_open(&trial->sides[i], names[i], urls[i], space, salt, &trial->clock)) continue;
        if (i) side_close(&trial->sides[0]);
        return DUEL_BROKEN;
    }
    return DUEL_EQUAL;
}

static void trial_close(struct trial *trial) {
    for (int i = 0; i < SIDES; i++) {
        free(trial->answers[i]);
        side_close(&trial->sides[i]);
    }
}

/* Both answer; true if alike. *rc is what the first one gave. */
static bool ask(struct trial *trial, const char *what, verb_fn *run, const uint32_t dice[DICE],
                int *rc) {
    rv_clock_move(&trial->clock, TICK_MS);
    for (int i = SIDES; i-- > 0;) {
        size_t size;
        free(trial->answers[i]);
        FILE *to = open_memstream(&trial->answers[i], &size);
        if (!to) abort();
        *rc = run(&trial->sides[i], dice, to);
        (void)fprintf(to, " -> %s", reeve_errname(*rc));
        (void)fclose(to);
    }
    bool alike = strcmp(trial->answers[0], trial->answers[1]) == 0;
    if (!trial->story) return alike;
    (void)fprintf(trial->story, "%s %s\n", what, trial->answers[0]);
    if (!alike) (void)fprintf(trial->story, "  but the store: %s\n", trial->answers[1]);
    return alike;
}

/* ---- the end of a sequence ---- */
/* All there is. */
static bool compare_dumps(struct trial *trial) {
    bool alike = true;
    int rc;
    for (uint32_t queue = 0; alike && queue < QUEUES; queue++) {
        const uint32_t dice[DICE] = {queue, 1, 1, 4};
        alike = ask(trial, "at the end: list", verb_list, dice, &rc) &&
                ask(trial, "at the end: stats", verb_stats, dice, &rc) &&
                ask(trial, "at the end: lapsed", verb_lapsed, dice, &rc) &&
                ask(trial, "at the end: events", verb_events, dice, &rc) &&
                ask(trial, "at the end: streams", verb_streams, dice, &rc) &&
                ask(trial, "at the end: group", verb_group, dice, &rc) &&
                ask(trial, "at the end: letters", verb_letters, dice, &rc);
    }
    const uint32_t none[DICE] = {1, 1};
    return alike && ask(trial, "at the end: workers", verb_workers, none, &rc) &&
           ask(trial, "at the end: queues", verb_queues, none, &rc);
}

/* Claims and finishes one by one until nothing is ready: shows the order they are in. */
static int drain(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const char *queue = queue_name((int)dice[0]);
    struct rv_outcome outcome;
    struct rv_exchanged got = {0};
    int rc;
    for (int i = 0; i < DRAIN_MAX; i++) {
        struct rv_exchange request = {.queue = queue,
                                      .timeout_ms = CALL_MS,
                                      .outcomes = &outcome,
                                      .outcome_count = got.count,
                                      .want = 1,
                                      .holder = side_draw(side),
                                      .lease_ms = MINUTE_MS,
                                      .worker = "drain"};
        struct rv_exchanged next;
        rc = rv_store_exchange(side->store, &request, &next, NULL);
        if (got.count) rv_outcome_release(&outcome);
        rv_exchanged_release(&got);
        got = next;
        if (rc || !got.count) break;
        (void)fprintf(to, " %s under T%zu", got.jobs[0]->id, side_token(side, got.token));
        struct rv_report report = {.ending = RV_SUCCEEDED};
        if (rv_outcome_judge(got.jobs[0], request.holder, &report, &rv_random_system, &outcome))
            abort();
    }
    return rc;
}

static bool compare_orders(struct trial *trial) {
    static const uint32_t on = 1;
    bool alike = true;
    int rc;
    rv_clock_move(&trial->clock, (int64_t)DRAIN_MINUTES * MINUTE_MS);
    for (uint32_t queue = 0; alike && queue < QUEUES; queue++) {
        const uint32_t dice[DICE] = {queue, on};
        const uint32_t at_once[DICE] = {queue, 0};
        alike = ask(trial, "at the end: resume", verb_pause, dice, &rc) &&
                ask(trial, "at the end: upkeep", verb_upkeep, at_once, &rc) &&
                ask(trial, "at the end: drain", drain, dice, &rc) &&
                ask(trial, "at the end: own all", verb_own_all, dice, &rc);
    }
    return alike && compare_dumps(trial);
}

/* ---- one sequence ---- */
static bool run_ops(struct trial *trial, struct duel *duel, const struct op *ops, size_t count,
                    size_t *used) {
    for (size_t i = 0; i < count; i++) {
        size_t which = verb_of(&ops[i]);
        int rc;
        *used = i + 1;
        if (verbs[which].run == verb_move) rv_clock_move(&trial->clock, move_of(ops[i].dice));
        if (!ask(trial, verbs[which].name, verbs[which].run, ops[i].dice, &rc)) return false;
        duel->calls[which]++;
        duel->successes[which] += rc == 0 && trial->answers[0][1] != '-';
    }
    return compare_dumps(trial) && compare_orders(trial);
}

int sequence_run(struct duel *duel, const struct op *ops, size_t count, size_t *used, char **what) {
    size_t size;
    struct trial *trial = calloc(1, sizeof *trial);
    if (!trial) abort();
    int outcome = trial_open(trial, duel);
    if (outcome == DUEL_EQUAL) {
        if (what) trial->story = open_memstream(what, &size);
        if (!run_ops(trial, duel, ops, count, used)) outcome = DUEL_DIFFERS;
        if (trial->story) (void)fclose(trial->story);
        trial_close(trial);
    }
    free(trial);
    return outcome;
}

/* ---- shrinking ---- */
/* Without count operations from at; true if the stores still differ, and then ops is that. */
static bool drop(struct duel *duel, struct op *ops, size_t *count, size_t at, size_t dropped) {
    size_t left = *count - dropped, used = 0;
    struct op *fewer = malloc((left + 1) * sizeof *fewer);
    if (!fewer) abort();
    memcpy(fewer, ops, at * sizeof *ops);
    memcpy(fewer + at, ops + at + dropped, (left - at) * sizeof *ops);
    bool differs = sequence_run(duel, fewer, left, &used, NULL) == DUEL_DIFFERS;
    if (differs) {
        memcpy(ops, fewer, left * sizeof *ops);
        *count = used < left ? used : left;
    }
    free(fewer);
    return differs;
}

size_t sequence_shrink(struct duel *duel, struct op *ops, size_t count) {
    for (size_t step = count / 2; step > 0;) {
        bool dropped = false;
        for (size_t at = 0; at + step <= count;) {
            if (drop(duel, ops, &count, at, step))
                dropped = true;
            else
                at += step;
        }
        if (!dropped || step > 1) step /= 2;
    }
    return count;
}
