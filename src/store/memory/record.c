/* A record: made, found, shown, and moved between the places of its queue. */
#include "store/memory/memory.h"

#include <assert.h>
#include <stdlib.h>

#include "core/job.h"
#include "core/state.h"

static struct reeve_job *make_job(const struct queue *queue, const struct rv_new_job *new_job) {
    int64_t now_ms = queue->memory->now.wall_ms;
    int64_t run_at_ms =
        new_job->run_at_ms ? new_job->run_at_ms : rv_time_add(now_ms, new_job->delay_ms);
    return rv_job_pack(&(struct reeve_job){
        .queue = queue->name,
        .id = new_job->id,
        .kind = new_job->kind,
        .state = run_at_ms > now_ms ? REEVE_DELAYED : REEVE_READY,
        .priority = new_job->priority,
        .attempts_max = new_job->policy.attempts_max,
        .created_at_ms = now_ms,
        .run_at_ms = run_at_ms,
        .body = new_job->body.data,
        .body_size = new_job->body.size,
        .backoff = new_job->policy.backoff,
        .backoff_ms = new_job->policy.backoff_ms,
        .backoff_ms_max = new_job->policy.backoff_ms_max,
        .timeout_ms = new_job->policy.timeout_ms,
        .keep_ms = new_job->policy.keep_ms,
        .progress = REEVE_NONE,
    });
}

struct record *rv_mem_record_make(struct queue *queue, const struct rv_new_job *new_job) {
    struct record *record = calloc(1, sizeof *record);
    if (!record) return NULL;
    record->queue = queue;
    record->nonce = new_job->nonce;
    record->expires_at_ms = NEVER;
    record->job = make_job(queue, new_job);
    if (!record->job || rv_map_add(&queue->records, &record->by_id, record->job->id)) {
        free(record->job);
        free(record);
        return NULL;
    }
    record->number = ++queue->last_number;
    rv_tree_add(&queue->listed, &record->listed, 0, record->number);
    if (record->job->state == REEVE_READY)
        rv_mem_record_line_up(record);
    else
        rv_mem_record_put(record);
    return record;
}

static void discard(struct record *record) {
    rv_map_remove(&record->queue->records, &record->by_id);
    rv_tree_remove(&record->queue->listed, &record->listed);
    rv_mem_notes_destroy(record->notes);
    free(record->job);
    free(record);
}

void rv_mem_record_destroy(struct record *record) {
    rv_mem_record_take(record);
    discard(record);
}

void rv_mem_record_remove(struct record *record) {
    struct queue *queue = record->queue;
    bool ended = rv_state_ended(rv_mem_record_state(record));
    rv_mem_record_destroy(record);
    if (ended) {
        queue->totals.trimmed_total++;
        return;
    }
    queue->totals.dropped_total++;
    queue->ended++;
    rv_mem_ring(queue);
}

enum reeve_state rv_mem_record_state(const struct record *record) {
    return record->claim ? REEVE_RUNNING : record->job->state;
}

bool rv_mem_record_expired(const struct record *record) {
    return record->expires_at_ms <= record->queue->memory->now.wall_ms;
}

struct record *rv_mem_record_find(struct queue *queue, const char *id) {
    struct rv_map_node *node = rv_map_get(&queue->records, id);
    if (!node) return NULL;
    struct record *record = rv_container_of(node, struct record, by_id);
    return rv_mem_record_expired(record) ? NULL : record;
}

struct reeve_job rv_mem_record_view(const struct record *record, const struct claim *claim) {
    struct reeve_job view = *record->job;
    if (record->notes) {
        view.progress = record->notes->progress;
        view.log = (const char *const *)record->notes->lines;
        view.log_count = record->notes->count;
    }
    if (!claim) return view;
    const struct moment *now = &record->queue->memory->now;
    view.state = REEVE_RUNNING;
    view.attempt++;
    view.token = claim->token;
    view.worker = claim->worker;
    view.cancelling = record->cancelling;
    view.started_at_ms = claim->started_at_ms;
    view.lease_until_ms = rv_time_add(now->wall_ms, claim->deadline - now->boot_ms);
    return view;
}

struct reeve_job *rv_mem_record_pack(const struct record *record) {
    struct reeve_job view = rv_mem_record_view(record, record->claim);
    return rv_job_pack(&view);
}

/* The tree in which a record of this state takes its turn, or NULL. */
static struct rv_tree *place_of(const struct record *record, int64_t *major, uint64_t *minor) {
    *minor = record->number;
    switch (rv_mem_record_state(record)) {
    case REEVE_DELAYED:
        *major = record->job->run_at_ms;
        return &record->queue->delayed;
    case REEVE_READY:
        *major = record->job->priority;
        *minor = record->seq;
        return &record->queue->ready;
    case REEVE_RUNNING:
        return NULL;
    case REEVE_DONE:
    case REEVE_FAILED:
    case REEVE_CANCELLED:
        *major = record->expires_at_ms;
        return *major == NEVER ? NULL : &record->queue->kept;
    }
    return NULL;
}

/* The tree of those that came to the same end, or NULL. */
static struct rv_tree *ends_of(const struct record *record) {
    enum reeve_state state = rv_mem_record_state(record);
    return rv_state_ended(state) ? &record->queue->ended_in[state] : NULL;
}

void rv_mem_record_take(struct record *record) {
    int64_t major;
    uint64_t minor;
    record->queue->counts[rv_mem_record_state(record)]--;
    struct rv_tree *tree = place_of(record, &major, &minor);
    if (tree) rv_tree_remove(tree, &record->turn);
    tree = ends_of(record);
    if (tree) rv_tree_remove(tree, &record->ended);
}

void rv_mem_record_put(struct record *record) {
    int64_t major;
    uint64_t minor;
    record->queue->counts[rv_mem_record_state(record)]++;
    struct rv_tree *tree = place_of(record, &major, &minor);
    if (tree) rv_tree_add(tree, &record->turn, major, minor);
    tree = ends_of(record);
    if (tree) rv_tree_add(tree, &record->ended, 0, record->end);
}

void rv_mem_record_line_up(struct record *record) {
    record->job->state = REEVE_READY;
    record->seq = ++record->queue->last_seq;
    rv_mem_record_put(record);
    rv_mem_ring(record->queue);
}

void rv_mem_record_end(struct record *record, int64_t keep_ms) {
    struct queue *queue = record->queue;
    enum reeve_state state = record->job->state;
    assert(rv_state_ended(state));
    record->job->ended_at_ms = queue->memory->now.wall_ms;
    record->end = ++queue->last_end;
    queue->totals.finished_total++;
    queue->ended++;
    rv_mem_event_add(record, REEVE_JOB_ENDED);
    rv_mem_ring(queue);
    if (state != REEVE_FAILED && keep_ms == 0) {
        discard(record);
        return;
    }
    if (state != REEVE_FAILED)
        record->expires_at_ms = rv_time_add(queue->memory->now.wall_ms, keep_ms);
    rv_mem_record_put(record);
}

void rv_mem_record_drop(struct record *record) {
    struct queue *queue = record->queue;
    assert(rv_state_may(rv_mem_record_state(record), REEVE_CANCELLED)); /* J1 */
    rv_mem_record_take(record);
    record->job->state = REEVE_CANCELLED;
    queue->totals.dropped_total++;
    queue->ended++;
    rv_mem_event_add(record, REEVE_JOB_ENDED);
    rv_mem_ring(queue);
    discard(record);
}
