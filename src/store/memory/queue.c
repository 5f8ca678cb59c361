/* A queue: found, made, tended, counted, paused. */
#include "store/memory/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- for the other files ---- */
struct queue *rv_mem_queue_find(struct memory *memory, const char *name) {
    struct rv_map_node *node = rv_map_get(&memory->by_name, name);
    return node ? rv_container_of(node, struct queue, by_name) : NULL;
}

struct queue *rv_mem_queue_make(struct memory *memory, const char *name) {
    struct queue *queue = rv_mem_queue_find(memory, name);
    if (queue) return queue;
    queue = calloc(1, sizeof *queue);
    if (!queue) return NULL;
    queue->memory = memory;
    memcpy(queue->name, name, strlen(name) + 1); /* checked in store.c: it fits */
    rv_list_init(&queue->lanes_by_use);
    if (rv_map_add(&memory->by_name, &queue->by_name, queue->name)) {
        free(queue);
        return NULL;
    }
    rv_list_add_tail(&memory->queues, &queue->link);
    return queue;
}

void rv_mem_queue_destroy(struct queue *queue) {
    for (struct rv_tree_node *node; (node = rv_tree_first(&queue->claims));) {
        rv_tree_remove(&queue->claims, node);
        free(rv_container_of(node, struct claim, by_token));
    }
    for (struct rv_tree_node *node; (node = rv_tree_first(&queue->listed));) {
        rv_tree_remove(&queue->listed, node);
        struct record *record = rv_container_of(node, struct record, listed);
        rv_mem_notes_destroy(record->notes);
        free(record->job);
        free(record);
    }
    rv_mem_lane_clear(queue);
    rv_mem_event_clear(queue);
    rv_map_release(&queue->records);
    free(queue);
}

int64_t rv_mem_first_in_ms(const struct rv_tree *tree, int64_t now_ms) {
    const struct rv_tree_node *first = rv_tree_first(tree);
    if (!first) return -1;
    return first->major > now_ms ? first->major - now_ms : 0;
}

/* The record whose turn comes first in tree, if its time is past. */
static struct record *first_due(const struct rv_tree *tree, int64_t now_ms) {
    struct rv_tree_node *first = rv_tree_first(tree);
    if (!first || first->major > now_ms) return NULL;
    return rv_container_of(first, struct record, turn);
}

size_t rv_mem_queue_promote(struct queue *queue) {
    size_t count = 0;
    struct record *record;
    while (count < RV_PROMOTE_MAX &&
           (record = first_due(&queue->delayed, queue->memory->now.wall_ms))) {
        rv_mem_record_take(record);
        rv_mem_record_line_up(record);
        count++;
    }
    return count;
}

/* ---- tend ---- */
static size_t expire(struct queue *queue) {
    size_t count = 0;
    struct record *record;
    while (count < RV_TEND_MAX && (record = first_due(&queue->kept, queue->memory->now.wall_ms))) {
        rv_mem_record_remove(record);
        count++;
    }
    return count;
}

int rv_mem_tend(struct rv_store *s, const char *queue_name, struct rv_tended *out,
                struct rv_error *err) {
    (void)err;
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_find(memory, queue_name);
    if (!queue) return rv_mem_leave(memory, 0);
    out->promoted = rv_mem_queue_promote(queue);
    out->expired = expire(queue) + rv_mem_bound_trim(queue, RV_TEND_MAX);
    rv_mem_lane_expire(queue);
    rv_mem_event_expire(queue);
    int64_t due = rv_mem_first_in_ms(&queue->delayed, memory->now.wall_ms);
    int64_t gone = rv_mem_first_in_ms(&queue->kept, memory->now.wall_ms);
    out->next_in_ms = due < 0 || (gone >= 0 && gone < due) ? gone : due;
    if (rv_bounds_excess(&queue->bounds, queue->counts[REEVE_FAILED])) out->next_in_ms = 0;
    out->more = out->next_in_ms == 0;
    return rv_mem_leave(memory, 0);
}

/* ---- queues, stats, pause ---- */
static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

/* All names after `after` into one array; there are few queues. */
static int gather_names(const struct memory *memory, const char *after, struct rv_names *out) {
    out->names = calloc(memory->by_name.count + 1, sizeof *out->names);
    if (!out->names) return REEVE_ENOMEM;
    for (struct rv_list *link = memory->queues.next; link != &memory->queues; link = link->next) {
        const struct queue *queue = rv_container_of(link, struct queue, link);
        if (!queue->exists || (after && strcmp(queue->name, after) <= 0)) continue;
        memcpy(out->names[out->count++], queue->name, sizeof queue->name);
    }
    return 0;
}

int rv_mem_queues(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                  struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    int rc = gather_names(memory, after, out);
    if (rc) return rv_mem_leave(memory, rv_fail(err, rc, "list the queues"));
    qsort(out->names, out->count, sizeof *out->names, compare_names);
    if (out->count > limit) out->count = limit;
    return rv_mem_leave(memory, 0);
}

/* How long the first in line has been waiting. */
static int64_t oldest_ready_ms(const struct queue *queue) {
    struct rv_tree_node *first = rv_tree_first(&queue->ready);
    if (!first) return 0;
    const struct reeve_job *job = rv_container_of(first, struct record, turn)->job;
    int64_t since = job->run_at_ms > job->created_at_ms ? job->run_at_ms : job->created_at_ms;
    int64_t waited = queue->memory->now.wall_ms - since;
    return waited > 0 ? waited : 0;
}

int rv_mem_stats(struct rv_store *s, const char *queue_name, bool brief, struct reeve_queue *out,
                 struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    (void)brief; /* it has no parts */
    const struct queue *queue = rv_mem_queue_find(memory, queue_name);
    if (!queue || !queue->exists)
        return rv_mem_leave(memory, rv_fail(err, REEVE_ENOENT, "no queue %s", queue_name));
    *out = queue->totals;
    out->name = queue_name;
    out->paused = queue->paused;
    out->delayed = queue->counts[REEVE_DELAYED];
    out->ready = queue->counts[REEVE_READY];
    out->running = queue->counts[REEVE_RUNNING];
    out->done = queue->counts[REEVE_DONE];
    out->failed = queue->counts[REEVE_FAILED];
    out->cancelled = queue->counts[REEVE_CANCELLED];
    out->oldest_ready_ms = oldest_ready_ms(queue);
    rv_bounds_show(&queue->bounds, out);
    return rv_mem_leave(memory, 0);
}

int rv_mem_pause(struct rv_store *s, const char *queue_name, bool paused, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_make(memory, queue_name);
    if (!queue)
        return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "pause queue %s", queue_name));
    queue->exists = true;
    queue->paused = paused;
    rv_mem_ring(queue);
    return rv_mem_leave(memory, 0);
}
