#include "differential/side.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *queue_name(int queue) {
    static const char *const names[QUEUES] = {"mail", "night"};
    return names[queue];
}

int side_open(struct side *side, const char *name, const char *url, const char *space,
              uint64_t salt, const struct rv_clock *clock) {
    static const struct rv_log log = {.level = REEVE_LOG_ERROR};
    struct rv_store_config config = {
        .space = space, .timeout_ms = CALL_MS, .log = &log, .clock = clock};
    struct rv_error err = {0};
    *side = (struct side){.name = name, .salt = salt};
    int rc = rv_store_open(&side->store, url, &config, &err);
    if (rc) {
        (void)fprintf(stderr, "%s: %s\n", name, err.text);
        return rc;
    }
    side->start_ms = rv_store_now_ms(side->store) - CLOCKS_APART_MS;
    for (int i = 0; i < QUEUES; i++)
        side->bells[i] = (struct rv_bell){.queue = queue_name(i), .want_ready = true};
    return 0;
}

void side_clear_lane(struct lane *lane) {
    for (size_t i = 0; lane->used && i < lane->request.outcome_count; i++)
        rv_outcome_release(&lane->outcomes[i]);
    lane->used = false;
}

void side_close(struct side *side) {
    for (int i = 0; i < QUEUES * LANES; i++)
        side_clear_lane(&side->lanes[i / LANES][i % LANES]);
    for (size_t i = 0; i < side->claim_count; i++) {
        for (size_t j = 0; j < side->claims[i].count; j++)
            free(side->claims[i].jobs[j]);
        free(side->claims[i].jobs);
    }
    rv_store_close(side->store);
}

uint64_t side_draw(struct side *side) {
    return side->salt + ++side->drawn;
}

void side_keep_claim(struct side *side, int queue, uint64_t holder, struct rv_exchanged *got) {
    if (got->count == 0 || side->claim_count == CLAIMS_MAX) {
        rv_exchanged_release(got);
        return;
    }
    side->claims[side->claim_count++] = (struct claim){.queue = queue,
                                                       .holder = holder,
                                                       .token = got->token,
                                                       .jobs = got->jobs,
                                                       .count = got->count};
}

/* ---- telling ---- */
size_t side_token(struct side *side, uint64_t token) {
    if (!token) return 0;
    for (size_t i = side->token_count; i-- > 0;)
        if (side->tokens[i] == token) return i + 1;
    if (side->token_count == TOKENS_MAX) return TOKENS_MAX + 1;
    side->tokens[side->token_count++] = token;
    return side->token_count;
}

long long side_minute(const struct side *side, int64_t at_ms) {
    return at_ms ? (at_ms - side->start_ms) / MINUTE_MS : -1;
}

long long minutes_until(int64_t ms) {
    return ms <= 0 ? ms : (ms + MINUTE_MS - 1) / MINUTE_MS;
}

static void tell_bytes(FILE *to, const char *what, const void *data, size_t size) {
    if (!data) return;
    uint32_t sum = 2166136261U; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const unsigned char *)data)[i]) * 16777619U;
    (void)fprintf(to, " %s=%zu:%08" PRIx32, what, size, sum);
}

static void tell_error(FILE *to, const struct reeve_failure *error) {
    if (!error) return;
    (void)fprintf(to, " error=%s/%s", error->code ? error->code : "-",
                  error->message ? error->message : "-");
    tell_bytes(to, "detail", error->detail, error->detail_size);
}

static void tell_attempt(struct side *side, FILE *to, const struct reeve_attempt *attempt) {
    (void)fprintf(to, " [%d %d by %s T%zu %lld-%lld", attempt->attempt, attempt->outcome,
                  attempt->worker ? attempt->worker : "-", side_token(side, attempt->token),
                  side_minute(side, attempt->started_at_ms),
                  side_minute(side, attempt->ended_at_ms));
    tell_error(to, attempt->error);
    (void)fputc(']', to);
}

void tell_job(struct side *side, FILE *to, const struct reeve_job *job) {
    (void)fprintf(to, "%s/%s %s%s %s priority=%d attempt=%d/%d T%zu by %s", job->queue, job->id,
                  reeve_state_name(job->state), job->cancelling ? "(cancelling)" : "", job->kind,
                  job->priority, job->attempt, job->attempts_max, side_token(side, job->token),
                  job->worker ? job->worker : "-");
    (void)fprintf(to, " created=%lld run_at=%lld started=%lld ended=%lld lease=%lld",
                  side_minute(side, job->created_at_ms), side_minute(side, job->run_at_ms),
                  side_minute(side, job->started_at_ms), side_minute(side, job->ended_at_ms),
                  side_minute(side, job->lease_until_ms));
    (void)fprintf(to, " backoff=%d/%lld/%lld timeout=%lld keep=%lld", job->backoff,
                  (long long)job->backoff_ms, (long long)job->backoff_ms_max,
                  (long long)job->timeout_ms, (long long)job->keep_ms);
    tell_bytes(to, "body", job->body ? job->body : "", job->body_size);
    tell_bytes(to, "result", job->result, job->result_size);
    tell_error(to, job->error);
    for (size_t i = 0; i < job->history_count; i++)
        tell_attempt(side, to, job->history[i]);
    (void)fprintf(to, " progress=%d", job->progress);
    for (size_t i = 0; i < job->log_count; i++)
        (void)fprintf(to, " log=%s", job->log[i]);
}
