/* Pushing, and what is done to jobs by their id. */
#include <stdlib.h>
#include <string.h>

#include "differential/lines.h"
#include "differential/verbs.h"

enum { BATCH_MAX = 4, LARGE = 70000 };

/* ---- push ---- */
static struct rv_bytes body_of(uint32_t dice) {
    static unsigned char large[LARGE];
    static const char small[] = "a body, with\0bytes";
    if (dice % 8 == 0) return (struct rv_bytes){NULL, 0};
    if (dice % 8 == 1) {
        large[0] = 1;
        return (struct rv_bytes){large, LARGE - dice % 16};
    }
    return (struct rv_bytes){small, 1 + dice % (sizeof small - 1)};
}

static int priority_of(uint32_t dice) {
    static const int priorities[] = {0, 0, 0, 0, -1, 1, REEVE_PRIORITY_MIN, REEVE_PRIORITY_MAX};
    return priorities[dice % 8];
}

/* Most run at once; some after minutes; some at a minute of the sequence, perhaps past. */
static void set_time(const struct side *side, uint32_t dice, struct rv_new_job *job) {
    if (dice % 8 == 0 || dice % 8 == 1) job->delay_ms = (int64_t)(1 + dice / 8 % 3) * MINUTE_MS;
    if (dice % 8 == 2) job->run_at_ms = side->start_ms + (int64_t)(dice / 8 % 8) * MINUTE_MS;
}

static struct rv_new_job job_of(const struct side *side, const uint32_t dice[DICE], int queue,
                                unsigned i, uint64_t nonce) {
    uint32_t luck = dice[2] >> 2 * i, terms = dice[3] >> 3 * i;
    struct rv_new_job job = {
        .queue = queue_name(queue),
        .kind = dice[4] >> i & 1 ? "letter" : "parcel",
        .id = id_of(dice[5] >> 4 * i),
        .nonce = nonce,
        .body = body_of(dice[6] >> 3 * i),
        .priority = priority_of(luck),
        .policy = {.attempts_max = 1 + (int)(terms % 3),
                   .backoff = REEVE_FIXED,
                   .backoff_ms = MINUTE_MS,
                   .backoff_ms_max = MINUTE_MS,
                   .timeout_ms = terms / 3 % 2 ? MINUTE_MS : 0,
                   .keep_ms = (int64_t)(terms / 6 % 4) * MINUTE_MS},
    };
    set_time(side, dice[7] >> 3 * i, &job);
    return job;
}

static int push_jobs(struct side *side, const uint32_t dice[DICE], uint64_t nonce, FILE *to) {
    int queue = (int)(dice[0] % QUEUES);
    unsigned count = dice[1] % 4 ? 1 : 1 + dice[1] / 4 % BATCH_MAX;
    struct rv_new_job jobs[BATCH_MAX];
    struct rv_pushed outs[BATCH_MAX];
    for (unsigned i = 0; i < count; i++)
        jobs[i] = job_of(side, dice, queue, i, nonce + i * (UINT64_C(1) << 48));
    int rc = rv_store_push(side->store, queue_name(queue), jobs, count, outs, NULL);
    for (unsigned i = 0; i < count; i++) {
        (void)fprintf(to, "\n    %s/%s: status=%d state=%d error=%d", queue_name(queue), jobs[i].id,
                      outs[i].status, outs[i].state, outs[i].error);
        if (outs[i].done) tell_job(side, to, outs[i].done);
        free(outs[i].done);
    }
    return rc;
}

int verb_push(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct made_push *made = &side->pushes[side->push_count++ % PUSHES_KEPT];
    made->nonce = side_draw(side);
    memcpy(made->dice, dice, sizeof made->dice);
    return push_jobs(side, dice, made->nonce, to);
}

/* J7: the very same request once more, whatever happened since. */
int verb_push_again(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const struct made_push *made = &side->pushes[dice[0] % PUSHES_KEPT];
    return made->nonce ? push_jobs(side, made->dice, made->nonce, to) : 0;
}

/* ---- one job ---- */
int verb_read(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct reeve_job *job;
    int rc =
        rv_store_read(side->store, queue_name((int)(dice[0] % QUEUES)), id_of(dice[1]), &job, NULL);
    if (!rc) tell_job(side, to, job);
    free(job);
    return rc;
}

int verb_cancel(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const char *queue = queue_name((int)(dice[0] % QUEUES));
    enum reeve_state now = 0;
    int rc = rv_store_cancel(side->store, queue, id_of(dice[1]), &now, NULL);
    (void)fprintf(to, "%s/%s now=%d", queue, id_of(dice[1]), rc ? 0 : (int)now);
    return rc;
}

int verb_revive(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const char *queue = queue_name((int)(dice[0] % QUEUES));
    (void)fprintf(to, "%s/%s", queue, id_of(dice[1]));
    return rv_store_revive(side->store, queue, id_of(dice[1]), NULL);
}

int verb_remove(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const char *queue = queue_name((int)(dice[0] % QUEUES));
    (void)fprintf(to, "%s/%s", queue, id_of(dice[1]));
    return rv_store_remove(side->store, queue, id_of(dice[1]), NULL);
}

int verb_keep(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const char *queue = queue_name((int)(dice[0] % QUEUES));
    int64_t minutes = 1 + dice[2] % 3;
    (void)fprintf(to, "%s/%s for %d", queue, id_of(dice[1]), (int)minutes);
    return rv_store_keep(side->store, queue, id_of(dice[1]), minutes * MINUTE_MS, NULL);
}

/* ---- list ---- */
/* All pages, as one set. */
int verb_list(struct side *side, const uint32_t dice[DICE], FILE *to) {
    char cursor[RV_CURSOR_SIZE] = "";
    struct rv_list_query query = {.queue = queue_name((int)(dice[0] % QUEUES)),
                                  .state = dice[1] % 2 ? 0 : dice[1] / 2 % 7,
                                  .kind = dice[2] % 4 ? NULL : "letter",
                                  .limit = 1 + dice[3] % 5};
    struct lines lines = {0};
    int rc;
    do {
        struct rv_jobs page;
        query.after = *cursor ? cursor : NULL;
        rc = rv_store_list(side->store, &query, &page, NULL);
        for (size_t i = 0; i < page.count; i++) {
            struct line line;
            FILE *writer = line_begin(&line);
            tell_job(side, writer, page.jobs[i]);
            lines_end(&lines, writer, &line);
        }
        (void)snprintf(cursor, sizeof cursor, "%s", page.cursor);
        rv_jobs_release(&page);
    } while (!rc && *cursor);
    (void)fprintf(to, "%s state=%d kind=%s:", query.queue, query.state,
                  query.kind ? query.kind : "any");
    lines_tell(&lines, to);
    return rc;
}
