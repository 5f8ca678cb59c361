/* Queues, workers, waiting, events. */
#include <stdlib.h>

#include "differential/lines.h"
#include "differential/verbs.h"

/* ---- queues ---- */
int verb_queues(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_names names;
    int rc = rv_store_queues(side->store, dice[0] % 2 ? NULL : queue_name(0), 1 + dice[1] % 3,
                             &names, NULL);
    for (size_t i = 0; i < names.count; i++)
        (void)fprintf(to, " %s", names.names[i]);
    free(names.names);
    return rc;
}

static int tend_all(struct side *side, const char *queue) {
    struct rv_tended tended;
    int rc;
    do
        rc = rv_store_tend(side->store, queue, &tended, NULL);
    while (!rc && tended.more);
    return rc;
}

/* After upkeep: until then the counts may hold records that have expired. */
int verb_stats(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct reeve_queue q;
    const char *name = queue_name((int)(dice[0] % QUEUES));
    int rc = tend_all(side, name);
    if (!rc) rc = rv_store_stats(side->store, name, &q, NULL);
    (void)fprintf(to, "%s", name);
    if (rc) return rc;
    (void)fprintf(to, " %s delayed=%d ready=%d running=%d done=%d failed=%d cancelled=%d",
                  q.paused ? "paused" : "on", (int)q.delayed, (int)q.ready, (int)q.running,
                  (int)q.done, (int)q.failed, (int)q.cancelled);
    (void)fprintf(to, " pushed=%d finished=%d retried=%d lapsed=%d fenced=%d oldest=%d",
                  (int)q.pushed_total, (int)q.finished_total, (int)q.retried_total,
                  (int)q.lapsed_total, (int)q.fenced_total, (int)(q.oldest_ready_ms / MINUTE_MS));
    (void)fprintf(to, " max=%d keep_failed=%d on_full=%d refused=%d dropped=%d trimmed=%d",
                  (int)q.max_length, (int)q.keep_failed, (int)q.on_full, (int)q.refused_total,
                  (int)q.dropped_total, (int)q.trimmed_total);
    return 0;
}

int verb_pause(struct side *side, const uint32_t dice[DICE], FILE *to) {
    const char *name = queue_name((int)(dice[0] % QUEUES));
    bool paused = dice[1] % 3 == 0; /* a queue that is mostly paused shows little */
    (void)fprintf(to, "%s %s", name, paused ? "paused" : "on");
    return rv_store_pause(side->store, name, paused, NULL);
}

/* ---- workers ---- */
static const char *worker_id(uint32_t dice) {
    static const char *const ids[] = {"wa", "wb", "wc"};
    return ids[dice % 3];
}

int verb_beat(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_worker_row row = {.threads = 1 + (int)(dice[1] % 4),
                                .running = dice[2] % 5,
                                .started_at_ms = side->start_ms,
                                .degraded_since_ms = dice[3] % 2 ? side->start_ms : 0,
                                .claimed_at_ms = dice[4] % 2 ? side->start_ms : 0};
    (void)snprintf(row.id, sizeof row.id, "%s", worker_id(dice[0]));
    (void)snprintf(row.name, sizeof row.name, "host:%u", dice[4] % 3);
    (void)snprintf(row.queues, sizeof row.queues, "mail night");
    (void)snprintf(row.kinds, sizeof row.kinds, "%s", dice[6] % 2 ? "letter parcel" : "");
    (void)fprintf(to, "%s", row.id);
    return rv_store_beat(side->store, &row, (int64_t)(1 + dice[5] % 3) * MINUTE_MS, NULL);
}

int verb_leave(struct side *side, const uint32_t dice[DICE], FILE *to) {
    (void)fprintf(to, "%s", worker_id(dice[0]));
    return rv_store_leave(side->store, worker_id(dice[0]), NULL);
}

int verb_workers(struct side *side, const uint32_t dice[DICE], FILE *to) {
    (void)dice;
    struct rv_workers workers;
    int rc = rv_store_workers(side->store, &workers, NULL);
    struct lines lines = {0};
    for (size_t i = 0; i < workers.count; i++) {
        const struct rv_worker_row *row = &workers.rows[i];
        struct line line;
        FILE *writer = line_begin(&line);
        (void)fprintf(
            writer,
            "%s %s (%s: %s) threads=%d running=%d started=%lld seen=%lld since=%lld claimed=%lld",
            row->id, row->name, row->queues, row->kinds, row->threads, (int)row->running,
            side_minute(side, row->started_at_ms), side_minute(side, row->seen_at_ms),
            side_minute(side, row->degraded_since_ms), side_minute(side, row->claimed_at_ms));
        lines_end(&lines, writer, &line);
    }
    lines_tell(&lines, to);
    free(workers.rows);
    return rc;
}

/* ---- waiting ---- */
int verb_wait(struct side *side, const uint32_t dice[DICE], FILE *to) {
    (void)dice;
    struct rv_bell before[QUEUES];
    for (int i = 0; i < QUEUES; i++)
        before[i] = side->bells[i];
    int rc = rv_store_wait(side->store, side->bells, QUEUES, 0, NULL);
    for (int i = 0; i < QUEUES; i++) {
        const struct rv_bell *bell = &side->bells[i];
        (void)fprintf(to, " %s:%s%s%s%s", bell->queue, bell->ready ? " ready" : "",
                      bell->ended != before[i].ended ? " ended" : "",
                      bell->cancelled != before[i].cancelled ? " cancelled" : "",
                      bell->events != before[i].events ? " events" : "");
    }
    return rc;
}

/* ---- events ---- */
/* What one exchange ends may be told in another order, lease by lease: see ops.h. Where an exchange
 * begins cannot be seen, so all that stand together are sorted. */
static bool is_out_of_order(const struct reeve_event *a, const struct reeve_event *b) {
    return a->type == REEVE_JOB_ENDED && b->type == REEVE_JOB_ENDED && a->state == REEVE_DONE &&
           b->state == REEVE_DONE && a->token > b->token;
}

static void sort_by_lease(struct rv_events *events) {
    struct reeve_event *all = events->events;
    for (size_t i = 1; i < events->count; i++) {
        for (size_t at = i; at > 0 && is_out_of_order(&all[at - 1], &all[at]); at--) {
            struct reeve_event event = all[at];
            all[at] = all[at - 1];
            all[at - 1] = event;
        }
    }
}

int verb_events(struct side *side, const uint32_t dice[DICE], FILE *to) {
    int queue = (int)(dice[0] % QUEUES);
    struct rv_events events;
    uint64_t after = dice[1] % 16 ? side->events_after[queue] : UINT64_MAX;
    int rc = rv_store_events(side->store, queue_name(queue), after, &events, NULL);
    sort_by_lease(&events);
    for (size_t i = 0; i < events.count; i++) {
        const struct reeve_event *event = &events.events[i];
        (void)fprintf(to, "\n    %s %s/%s state=%d at=%lld by %s T%zu",
                      reeve_event_name(event->type), event->queue, event->id ? event->id : "-",
                      event->state, side_minute(side, event->at_ms),
                      event->worker ? event->worker : "-", side_token(side, event->token));
    }
    if (!rc) side->events_after[queue] = events.after;
    free(events.events);
    return rc;
}
