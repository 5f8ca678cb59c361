/* One job by its id: read, cancel, revive, remove, keep; and many of them: list. */
#include "store/memory/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/state.h"

/* The record, or NULL with *rc set. */
static struct record *find(struct memory *memory, const char *queue_name, const char *id, int *rc,
                           struct rv_error *err) {
    struct queue *queue = rv_mem_queue_find(memory, queue_name);
    struct record *record = queue ? rv_mem_record_find(queue, id) : NULL;
    *rc = record ? 0 : rv_fail(err, REEVE_ENOENT, "no job '%s' in queue %s", id, queue_name);
    return record;
}

static int refuse(const struct record *record, const char *verb, struct rv_error *err) {
    return rv_fail(err, REEVE_ESTATE, "cannot %s job '%s' of queue %s: it is %s", verb,
                   record->job->id, record->queue->name,
                   reeve_state_name(rv_mem_record_state(record)));
}

/* Takes the record out of its place to make a transition that exists (J1). */
static void leave_for(struct record *record, enum reeve_state to) {
    assert(rv_state_may(rv_mem_record_state(record), to));
    rv_mem_record_take(record);
    record->job->state = to;
}

int rv_mem_read(struct rv_store *s, const char *queue_name, const char *id, int64_t timeout_ms,
                struct reeve_job **out, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    int rc;
    (void)timeout_ms; /* it keeps nobody waiting */
    const struct record *record = find(memory, queue_name, id, &rc, err);
    if (record && !(*out = rv_mem_record_pack(record)))
        rc = rv_fail(err, REEVE_ENOMEM, "read job '%s' of queue %s", id, queue_name);
    return rv_mem_leave(memory, rc);
}

static void mark(struct record *record) {
    if (record->cancelling) return;
    record->cancelling = true;
    record->queue->cancelled++;
    rv_mem_ring(record->queue);
}

int rv_mem_cancel(struct rv_store *s, const char *queue_name, const char *id, enum reeve_state *now,
                  struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    int rc;
    struct record *record = find(memory, queue_name, id, &rc, err);
    if (!record) return rv_mem_leave(memory, rc);
    if (record->claim) {
        mark(record);
        *now = REEVE_RUNNING;
    } else if (rv_state_waiting(record->job->state)) {
        leave_for(record, REEVE_CANCELLED);
        *now = REEVE_CANCELLED;
        rv_mem_record_end(record, record->job->keep_ms);
    } else {
        rc = refuse(record, "cancel", err);
    }
    return rv_mem_leave(memory, rc);
}

int rv_mem_revive(struct rv_store *s, const char *queue_name, const char *id,
                  struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    int rc;
    struct record *record = find(memory, queue_name, id, &rc, err);
    if (!record) return rv_mem_leave(memory, rc);
    enum reeve_state state = rv_mem_record_state(record);
    if (state != REEVE_FAILED && state != REEVE_CANCELLED)
        return rv_mem_leave(memory, refuse(record, "revive", err));
    leave_for(record, REEVE_READY);
    record->expires_at_ms = NEVER;
    record->job->attempt = 0;
    record->job->ended_at_ms = 0;
    record->job->run_at_ms = memory->now.wall_ms;
    rv_mem_record_line_up(record);
    return rv_mem_leave(memory, 0);
}

int rv_mem_remove(struct rv_store *s, const char *queue_name, const char *id,
                  struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    int rc;
    struct record *record = find(memory, queue_name, id, &rc, err);
    if (record && record->claim)
        rc = refuse(record, "remove", err);
    else if (record)
        rv_mem_record_remove(record);
    return rv_mem_leave(memory, rc);
}

int rv_mem_keep(struct rv_store *s, const char *queue_name, const char *id, int64_t keep_ms,
                struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    int rc;
    struct record *record = find(memory, queue_name, id, &rc, err);
    if (record && !rv_state_ended(rv_mem_record_state(record))) {
        rc = refuse(record, "keep", err);
    } else if (record) {
        rv_mem_record_take(record);
        record->expires_at_ms = rv_time_add(memory->now.wall_ms, keep_ms);
        rv_mem_record_put(record);
    }
    return rv_mem_leave(memory, rc);
}

/* ---- list: by number, so that a page begins where the one before ended ---- */
enum { LOOKS_MAX = 4 * RV_LIST_MAX }; /* J11: a filter that matches little gives short pages */

static bool matches(const struct record *record, const struct rv_list_query *query) {
    if (rv_mem_record_expired(record)) return false;
    if (query->state && rv_mem_record_state(record) != query->state) return false;
    return !query->kind || strcmp(query->kind, record->job->kind) == 0;
}

static int parse_cursor(const char *cursor, uint64_t *number, struct rv_error *err) {
    char *end;
    *number = strtoull(cursor, &end, 10);
    return *end ? rv_fail(err, REEVE_EINVAL, "not a cursor of this store: '%s'", cursor) : 0;
}

static int gather_page(const struct queue *queue, const struct rv_list_query *query,
                       uint64_t number, struct rv_jobs *out) {
    struct rv_tree_node *node = rv_tree_after(&queue->listed, 0, number);
    size_t bytes = 0;
    for (size_t looks = 0; node; node = rv_tree_after(&queue->listed, 0, number)) {
        if (out->count == query->limit || looks++ == LOOKS_MAX || bytes >= RV_TAKE_BYTES_MAX) {
            (void)snprintf(out->cursor, sizeof out->cursor, "%" PRIu64, number);
            return 0;
        }
        number = node->minor;
        const struct record *record = rv_container_of(node, struct record, listed);
        if (!matches(record, query)) continue;
        out->jobs[out->count] = rv_mem_record_pack(record);
        if (!out->jobs[out->count]) return REEVE_ENOMEM;
        bytes += record->job->body_size + record->job->result_size;
        out->count++;
    }
    return 0;
}

int rv_mem_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
                struct rv_error *err) {
    uint64_t number = 0;
    int rc = query->after ? parse_cursor(query->after, &number, err) : 0;
    if (rc) return rc;
    struct memory *memory = rv_mem_enter(s);
    const struct queue *queue = rv_mem_queue_find(memory, query->queue);
    if (!queue) return rv_mem_leave(memory, 0);
    out->jobs = calloc(query->limit, sizeof(*out->jobs));
    rc = out->jobs ? gather_page(queue, query, number, out) : REEVE_ENOMEM;
    if (rc) (void)rv_fail(err, rc, "list queue %s", query->queue);
    return rv_mem_leave(memory, rc);
}
