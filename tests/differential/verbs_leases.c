/* Claiming and handing in, leases, upkeep. */
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "differential/lines.h"
#include "differential/verbs.h"

static const struct reeve_failure failure = {
    .message = "it broke", .code = "exit:1", .detail = "\0bytes", .detail_size = 6};
static const struct reeve_failure silence = {.message = "went silent", .code = "lapsed"};
static const char *const workers[] = {"w1", "w2", "w3"};

/* ---- outcomes ---- */
/* A claim of that queue, the latest more often than others; NULL: there is none. */
static const struct claim *pick_claim(const struct side *side, int queue, uint32_t dice) {
    size_t back = dice % 4 == 0 ? dice / 4 % (CLAIMS_MAX) : dice / 4 % 3;
    const struct claim *found = NULL;
    for (size_t i = side->claim_count; i-- > 0;) {
        if (side->claims[i].queue != queue) continue;
        found = &side->claims[i];
        if (back-- == 0) break;
    }
    return found;
}

static enum rv_ending ending_of(uint32_t dice) {
    static const enum rv_ending endings[] = {RV_SUCCEEDED,      RV_SUCCEEDED, RV_SUCCEEDED,
                                             RV_FAILED_ATTEMPT, RV_GIVEN_UP,  RV_HANDED_BACK,
                                             RV_LAPSED,         RV_STOPPED};
    return endings[dice % 8];
}

static struct rv_report report_of(const struct side *side, uint32_t dice) {
    struct rv_report report = {.ending = ending_of(dice),
                               .ended_at_ms = rv_store_now_ms(side->store)};
    report.has_result = report.ending == RV_SUCCEEDED && dice / 8 % 4;
    if (report.has_result && dice / 8 % 4 > 1) {
        report.result = "a\0result";
        report.result_size = 8;
    }
    if (report.ending == RV_FAILED_ATTEMPT || report.ending == RV_GIVEN_UP) report.error = &failure;
    if (report.ending == RV_LAPSED) report.error = &silence;
    return report;
}

/* As a worker would judge it, but without jitter: retries wait one minute, or none. */
static void judge(const struct reeve_job *job, uint64_t holder, const struct rv_report *report,
                  uint32_t dice, struct rv_outcome *out) {
    if (rv_outcome_judge(job, holder, report, &rv_random_system, out)) abort();
    bool again = report->ending == RV_FAILED_ATTEMPT || report->ending == RV_LAPSED;
    if (!again || out->state == REEVE_FAILED) return;
    out->state = dice % 4 ? REEVE_DELAYED : REEVE_READY;
    out->delay_ms = dice % 4 ? MINUTE_MS : 0;
}

/* The outcome of some job that was claimed once; now and then under a token or holder that never
 * was. false: there is nothing to hand in. */
static bool make_outcome(const struct side *side, int queue, uint32_t dice,
                         struct rv_outcome *out) {
    const struct claim *claim = pick_claim(side, queue, dice);
    if (!claim) return false;
    struct rv_report report = report_of(side, dice >> 8);
    judge(claim->jobs[(dice >> 4) % claim->count], claim->holder, &report, dice >> 14, out);
    if ((dice >> 16) % 16 == 0) out->token--;
    if ((dice >> 16) % 16 == 1) out->token++;
    if ((dice >> 16) % 16 == 2) out->holder ^= 1;
    if ((dice >> 16) % 16 == 3) out->keep_ms = 2 * (int64_t)MINUTE_MS;
    return true;
}

/* ---- exchange ---- */
static void tell_outcomes(FILE *to, const struct rv_exchange *request) {
    for (size_t i = 0; i < request->outcome_count; i++) {
        const struct rv_outcome *outcome = &request->outcomes[i];
        (void)fprintf(to, "\n    in: %s/%s ending=%d to=%d delay=%lld: %s", request->queue,
                      outcome->id, outcome->ending, outcome->state,
                      (long long)outcome->delay_ms / MINUTE_MS, reeve_errname(outcome->status));
    }
}

static void tell_exchanged(struct side *side, FILE *to, const struct rv_exchanged *got) {
    (void)fprintf(to, "\n    T%zu more=%d paused=%d due_in=%lld replayed=%d",
                  side_token(side, got->token), got->more, got->paused,
                  minutes_until(got->due_in_ms), got->replayed);
    for (size_t i = 0; i < got->count; i++) {
        (void)fprintf(to, "\n    out: ");
        tell_job(side, to, got->jobs[i]);
    }
}

static int perform(struct side *side, struct rv_exchange *request, struct rv_exchanged *got,
                   FILE *to) {
    int rc = rv_store_exchange(side->store, request, got, NULL);
    (void)fprintf(to, "%s want=%zu lane=%d number=%d", request->queue, request->want,
                  (int)request->lane, (int)request->number);
    tell_outcomes(to, request);
    if (!rc) tell_exchanged(side, to, got);
    return rc;
}

/* Through a lane of the queue (0, 1) or none (others). */
int verb_exchange(struct side *side, const uint32_t dice[DICE], FILE *to) {
    static const uint64_t most = UINT64_MAX - 4096; /* numbers are unsigned (J7) */
    int queue = (int)(dice[0] % QUEUES);
    struct lane spare = {0};
    unsigned which = dice[1] % 4;
    struct lane *lane = which < LANES ? &side->lanes[queue][which] : &spare;
    side_clear_lane(lane);
    struct rv_exchange *request = &lane->request;
    *request = (struct rv_exchange){.queue = queue_name(queue),
                                    .timeout_ms = CALL_MS,
                                    .outcomes = lane->outcomes,
                                    .want = dice[2] % 4,
                                    .holder = side_draw(side),
                                    .lease_ms = (int64_t)(1 + dice[2] / 4 % 3) * MINUTE_MS,
                                    .worker = workers[dice[2] / 16 % 3]};
    if (which < LANES) {
        if (!lane->number && dice[1] / 4 % 8 == 0) lane->number = most;
        request->lane = which ? which : UINT64_MAX;
        request->number = ++lane->number;
    }
    size_t outcomes = dice[3] % (OUTCOMES_MAX + 1);
    for (size_t i = 0; i < outcomes; i++)
        if (make_outcome(side, queue, dice[4 + i], &lane->outcomes[request->outcome_count]))
            request->outcome_count++;
    lane->used = true;
    lane->used_at_ms = rv_store_now_ms(side->store);
    struct rv_exchanged got;
    int rc = perform(side, request, &got, to);
    side_keep_claim(side, queue, request->holder, &got);
    side_clear_lane(&spare);
    return rc;
}

/* J7: the latest request of a lane once more, as long as that may be: then its holder is used up.
 * What the holder still has is shown again. */
int verb_repeat(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct lane *lane = &side->lanes[dice[0] % QUEUES][dice[1] % LANES];
    int64_t age_ms = rv_store_now_ms(side->store) - lane->used_at_ms;
    if (!lane->used || age_ms >= RV_LANE_KEPT_MS) return 0;
    struct rv_exchanged got;
    int rc = perform(side, &lane->request, &got, to);
    /* A request that changed nothing the first time is not known, and may bring jobs now. */
    if (got.replayed)
        rv_exchanged_release(&got);
    else
        side_keep_claim(side, (int)(dice[0] % QUEUES), lane->request.holder, &got);
    return rc;
}

/* A request that was overtaken by a later one of its lane. */
int verb_go_back(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct lane *lane = &side->lanes[dice[0] % QUEUES][dice[1] % LANES];
    if (!lane->used) return 0;
    struct rv_exchange request = lane->request;
    request.number--;
    request.holder = side_draw(side);
    struct rv_exchanged got;
    int rc = perform(side, &request, &got, to);
    side_keep_claim(side, (int)(dice[0] % QUEUES), request.holder, &got);
    return rc;
}

/* ---- renew ---- */
enum { RENEWALS_MAX = 3 };

int verb_renew(struct side *side, const uint32_t dice[DICE], FILE *to) {
    int queue = (int)(dice[0] % QUEUES);
    struct rv_renewal renewals[RENEWALS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < 1 + dice[1] % RENEWALS_MAX; i++) {
        const struct claim *claim = pick_claim(side, queue, dice[2 + i]);
        if (!claim) return 0;
        renewals[count++] =
            (struct rv_renewal){.holder = claim->holder ^ (dice[5] >> i) % 32 / 31,
                                .token = claim->token + (dice[6] >> i) % 32 / 31,
                                .lease_ms = (int64_t)(1 + (dice[7] >> i) % 3) * MINUTE_MS};
    }
    struct rv_cancel_marks marks;
    int rc = rv_store_renew(side->store, queue_name(queue), renewals, count, CALL_MS, &marks, NULL);
    (void)fprintf(to, "%s:", queue_name(queue));
    for (size_t i = 0; i < count; i++)
        (void)fprintf(to, " T%zu%s", side_token(side, renewals[i].token),
                      renewals[i].lost ? " lost" : "");
    struct lines lines = {0};
    for (size_t i = 0; i < marks.count; i++) {
        struct line line;
        FILE *writer = line_begin(&line);
        (void)fprintf(writer, "cancelled: %s of holder %d", marks.marks[i].id,
                      (int)(marks.marks[i].holder - side->salt));
        lines_end(&lines, writer, &line);
    }
    lines_tell(&lines, to);
    free(marks.marks);
    return rc;
}

/* ---- upkeep ---- */
static void tell_lapsed(struct side *side, FILE *to, const struct rv_lapsed *lapsed) {
    struct lines lines = {0};
    for (size_t i = 0; i < lapsed->count; i++) {
        struct line line;
        FILE *writer = line_begin(&line);
        (void)fprintf(writer, "holder %d: ", (int)(lapsed->jobs[i].holder - side->salt));
        tell_job(side, writer, lapsed->jobs[i].job);
        lines_end(&lines, writer, &line);
    }
    (void)fprintf(to, "next_in=%lld", minutes_until(lapsed->next_in_ms));
    lines_tell(&lines, to);
}

int verb_lapsed(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_lapsed lapsed;
    int rc = rv_store_lapsed(side->store, queue_name((int)(dice[0] % QUEUES)), &lapsed, NULL);
    tell_lapsed(side, to, &lapsed);
    rv_lapsed_release(&lapsed);
    return rc;
}

static int by_id(const void *a, const void *b) {
    const struct rv_lapsed_job *left = a, *right = b;
    return strcmp(left->job->id, right->job->id);
}

/* What a worker's upkeep does: each lapsed job is finished as a failed attempt under its token. All
 * in one step, so that none is earlier than another in one store only. */
int verb_upkeep(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const char *queue = queue_name((int)(dice[0] % QUEUES));
    struct rv_outcome outcomes[RV_CLAIM_MAX];
    struct rv_lapsed lapsed;
    int rc = rv_store_lapsed(side->store, queue, &lapsed, NULL);
    tell_lapsed(side, to, &lapsed);
    /* In no particular order, says the contract; here the same in both. */
    if (lapsed.count) qsort(lapsed.jobs, lapsed.count, sizeof *lapsed.jobs, by_id);
    for (size_t i = 0; i < lapsed.count; i++) {
        struct rv_report report = {
            .ending = RV_LAPSED, .error = &silence, .ended_at_ms = rv_store_now_ms(side->store)};
        judge(lapsed.jobs[i].job, lapsed.jobs[i].holder, &report, dice[1], &outcomes[i]);
    }
    struct rv_exchange request = {
        .queue = queue, .timeout_ms = CALL_MS, .outcomes = outcomes, .outcome_count = lapsed.count};
    struct rv_exchanged got = {0};
    if (!rc) rc = perform(side, &request, &got, to);
    rv_exchanged_release(&got);
    for (size_t i = 0; i < lapsed.count; i++)
        rv_outcome_release(&outcomes[i]);
    rv_lapsed_release(&lapsed);
    return rc;
}

int verb_tend(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const char *queue = queue_name((int)(dice[0] % QUEUES));
    struct rv_tended tended;
    int rc = rv_store_tend(side->store, queue, &tended, NULL);
    (void)fprintf(to, "%s: promoted=%zu expired=%zu more=%d next_in=%lld", queue, tended.promoted,
                  tended.expired, tended.more, minutes_until(tended.next_in_ms));
    return rc;
}
