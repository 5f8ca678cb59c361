/* A claim: one lease over the jobs that one exchange brought. renew and lapsed. */
#include "store/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- for the other files ---- */
struct claim *rv_mem_claim_find(struct queue *queue, uint64_t holder, uint64_t token) {
    struct rv_tree_node *node = rv_tree_find(&queue->claims, 0, token);
    if (!node) return NULL;
    struct claim *claim = rv_container_of(node, struct claim, by_token);
    return claim->holder == holder ? claim : NULL;
}

static void set_deadline(struct queue *queue, struct claim *claim, int64_t lease_ms) {
    claim->deadline = rv_time_add(queue->memory->now.boot_ms, lease_ms);
    rv_tree_add(&queue->leases, &claim->by_deadline, claim->deadline, claim->token);
}

void rv_mem_claim_add(struct queue *queue, struct claim *claim, int64_t lease_ms) {
    rv_tree_add(&queue->claims, &claim->by_token, 0, claim->token);
    set_deadline(queue, claim, lease_ms);
}

void rv_mem_claim_drop(struct record *record) {
    struct claim *claim = record->claim;
    rv_list_remove(&record->held);
    record->claim = NULL;
    record->cancelling = false;
    if (!rv_list_empty(&claim->records)) return;
    rv_tree_remove(&record->queue->claims, &claim->by_token);
    rv_tree_remove(&record->queue->leases, &claim->by_deadline);
    free(claim);
}

bool rv_mem_claim_lapsed(const struct claim *claim, const struct memory *memory) {
    return claim->deadline <= memory->now.boot_ms;
}

/* ---- renew ---- */
/* Counts the marked jobs of claim, and writes them down where there is room. */
static size_t gather_marks(const struct claim *claim, struct rv_cancel_mark *to) {
    size_t count = 0;
    for (struct rv_list *l = claim->records.next; l != &claim->records; l = l->next) {
        const struct record *record = rv_container_of(l, struct record, held);
        if (!record->cancelling) continue;
        if (to) {
            to[count].holder = claim->holder;
            memcpy(to[count].id, record->job->id, strlen(record->job->id) + 1);
        }
        count++;
    }
    return count;
}

static int make_marks(struct queue *queue, const struct rv_renewal *claims, size_t count,
                      struct rv_cancel_marks *marks) {
    size_t marked = 0;
    for (size_t i = 0; i < count; i++) {
        struct claim *claim = rv_mem_claim_find(queue, claims[i].holder, claims[i].token);
        if (claim) marked += gather_marks(claim, NULL);
    }
    if (!marked) return 0;
    marks->marks = calloc(marked, sizeof *marks->marks);
    return marks->marks ? 0 : REEVE_ENOMEM;
}

static void renew_one(struct queue *queue, struct rv_renewal *renewal,
                      struct rv_cancel_marks *marks) {
    struct claim *claim = rv_mem_claim_find(queue, renewal->holder, renewal->token);
    if (!claim) { /* J3 */
        renewal->lost = true;
        queue->totals.fenced_total++;
        return;
    }
    rv_tree_remove(&queue->leases, &claim->by_deadline); /* J8: even if it has lapsed */
    set_deadline(queue, claim, renewal->lease_ms);
    if (marks->marks) marks->count += gather_marks(claim, marks->marks + marks->count);
}

int rv_mem_renew(struct rv_store *s, const char *queue_name, struct rv_renewal *claims,
                 size_t count, int64_t timeout_ms, struct rv_cancel_marks *marks,
                 struct rv_error *err) {
    (void)timeout_ms;
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_find(memory, queue_name);
    for (size_t i = 0; !queue && i < count; i++)
        claims[i].lost = true;
    int rc = queue ? make_marks(queue, claims, count, marks) : 0;
    for (size_t i = 0; queue && !rc && i < count; i++)
        renew_one(queue, &claims[i], marks);
    if (rc) (void)rv_fail(err, rc, "renew in queue %s", queue_name);
    return rv_mem_leave(memory, rc);
}

/* ---- lapsed ---- */
static size_t count_records(const struct claim *claim) {
    size_t count = 0;
    for (const struct rv_list *l = claim->records.next; l != &claim->records; l = l->next)
        count++;
    return count;
}

static int add_lapsed(const struct claim *claim, struct rv_lapsed *out) {
    for (struct rv_list *l = claim->records.next; l != &claim->records; l = l->next) {
        const struct record *record = rv_container_of(l, struct record, held);
        struct reeve_job *job = rv_mem_record_pack(record);
        if (!job) return REEVE_ENOMEM;
        out->jobs[out->count++] = (struct rv_lapsed_job){.job = job, .holder = claim->holder};
    }
    return 0;
}

/* Whole claims, longest lapsed first, as many as fit. */
static int gather_lapsed(const struct queue *queue, struct rv_lapsed *out) {
    int rc = 0;
    struct rv_tree_node *node = rv_tree_first(&queue->leases);
    while (node && !rc) {
        const struct claim *claim = rv_container_of(node, struct claim, by_deadline);
        if (!rv_mem_claim_lapsed(claim, queue->memory)) break;
        if (out->count + count_records(claim) > RV_CLAIM_MAX) break;
        rc = add_lapsed(claim, out);
        node = rv_tree_after(&queue->leases, node->major, node->minor);
    }
    return rc;
}

int rv_mem_lapsed(struct rv_store *s, const char *queue_name, struct rv_lapsed *out,
                  struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    const struct queue *queue = rv_mem_queue_find(memory, queue_name);
    if (!queue) return rv_mem_leave(memory, 0);
    out->jobs = calloc(RV_CLAIM_MAX, sizeof *out->jobs);
    int rc = out->jobs ? gather_lapsed(queue, out) : REEVE_ENOMEM;
    if (rc) (void)rv_fail(err, rc, "look for lapsed claims of queue %s", queue_name);
    const struct rv_tree_node *standing =
        rv_tree_after(&queue->leases, memory->now.boot_ms, UINT64_MAX);
    if (standing) out->next_in_ms = standing->major - memory->now.boot_ms;
    return rv_mem_leave(memory, rc);
}
