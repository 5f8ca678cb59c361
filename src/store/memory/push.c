/* push: one id, one job (J14), and a repeat changes nothing (J7). */
#include "store/memory/memory.h"

static void push_new(struct queue *queue, const struct rv_new_job *job, uint64_t batch,
                     struct rv_pushed *out) {
    struct record *victim = rv_mem_bound_victim(queue); /* before the new one could be it */
    struct record *record = rv_mem_record_make(queue, job);
    if (!record) {
        out->error = REEVE_ENOMEM;
        return;
    }
    record->batch = batch;
    queue->exists = true;
    queue->totals.pushed_total++;
    if (victim) rv_mem_record_drop(victim);
    rv_mem_event_add(record, REEVE_JOB_PUSHED);
    out->status = REEVE_QUEUED;
    out->state = record->job->state;
}

static void refuse(struct queue *queue, struct rv_pushed *out) {
    queue->totals.refused_total++;
    out->error = REEVE_EFULL;
}

static void answer_known(struct record *record, struct rv_pushed *out) {
    out->state = rv_mem_record_state(record);
    out->status = REEVE_DUPLICATE;
    if (out->state != REEVE_DONE) return;
    out->done = rv_mem_record_pack(record);
    if (out->done)
        out->status = REEVE_DUPLICATE_DONE;
    else
        *out = (struct rv_pushed){.error = REEVE_ENOMEM};
}

/* The record met is forgotten, and the job takes its place. */
static void replace(struct record *met) {
    if (rv_mem_record_expired(met))
        rv_mem_record_remove(met); /* J12 */
    else
        rv_mem_record_destroy(met);
}

static void push_one(struct queue *queue, const struct rv_new_job *job, uint64_t batch,
                     struct rv_pushed *out) {
    struct rv_map_node *node = rv_map_get(&queue->records, job->id);
    struct record *met = node ? rv_container_of(node, struct record, by_id) : NULL;
    bool expired = met && rv_mem_record_expired(met);
    bool first_of_batch = !met || expired || met->batch != batch;
    if (met) met->batch = batch;
    if (met && !expired && first_of_batch && met->nonce == job->nonce) { /* J7 */
        *out = (struct rv_pushed){.status = REEVE_QUEUED, .state = rv_mem_record_state(met)};
        return;
    }
    bool anew = first_of_batch && met && rv_mem_record_state(met) == REEVE_CANCELLED; /* J14 */
    if (met && !expired && !anew) {
        answer_known(met, out);
    } else if (rv_mem_bound_refuses(queue)) {
        refuse(queue, out);
    } else {
        if (met) replace(met);
        push_new(queue, job, batch, out);
    }
}

int rv_mem_push(struct rv_store *s, const char *queue_name, const struct rv_new_job *jobs,
                size_t count, int64_t timeout_ms, struct rv_pushed *outs, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_make(memory, queue_name);
    (void)timeout_ms; /* it keeps nobody waiting */
    if (!queue)
        return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "push to queue %s", queue_name));
    uint64_t batch = ++queue->last_batch;
    for (size_t i = 0; i < count; i++)
        push_one(queue, &jobs[i], batch, &outs[i]);
    return rv_mem_leave(memory, 0);
}
