/* Bounds of a queue, and what removes many jobs: set, purge. */
#include "store/memory/memory.h"

/* ---- for the other files ---- */
static bool is_full(const struct queue *queue) {
    return rv_bounds_full(&queue->bounds,
                          queue->counts[REEVE_DELAYED] + queue->counts[REEVE_READY]);
}

bool rv_mem_bound_refuses(const struct queue *queue) {
    return is_full(queue) && !rv_bounds_drop(&queue->bounds);
}

static struct record *record_of(struct rv_tree_node *turn) {
    return turn ? rv_container_of(turn, struct record, turn) : NULL;
}

/* The first in the least urgent level, or NULL. */
static struct record *first_of_last_level(const struct queue *queue) {
    struct rv_tree_node *found = NULL;
    for (int level = REEVE_PRIORITY_MAX; !found && level >= REEVE_PRIORITY_MIN; level--)
        found = rv_tree_after(&queue->ready, level - 1, UINT64_MAX);
    return record_of(found);
}

struct record *rv_mem_bound_victim(const struct queue *queue) {
    if (!is_full(queue) || !rv_bounds_drop(&queue->bounds)) return NULL;
    struct record *victim = first_of_last_level(queue);
    return victim ? victim : record_of(rv_tree_first(&queue->delayed));
}

static struct record *first_ended(const struct queue *queue, enum reeve_state state) {
    struct rv_tree_node *first = rv_tree_first(&queue->ended_in[state]);
    return first ? rv_container_of(first, struct record, ended) : NULL;
}

size_t rv_mem_bound_trim(struct queue *queue, size_t most) {
    size_t count = 0;
    while (count < most && rv_bounds_excess(&queue->bounds, queue->counts[REEVE_FAILED])) {
        rv_mem_record_remove(first_ended(queue, REEVE_FAILED));
        count++;
    }
    return count;
}

/* ---- set ---- */
int rv_mem_set(struct rv_store *s, const char *queue_name,
               const struct reeve_queue_settings *settings, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_make(memory, queue_name);
    if (!queue) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "set queue %s", queue_name));
    queue->exists = true;
    rv_bounds_change(&queue->bounds, settings);
    return rv_mem_leave(memory, 0);
}

/* ---- purge ---- */
static struct record *first_in(const struct queue *queue, enum reeve_state state) {
    if (state == REEVE_DELAYED) return record_of(rv_tree_first(&queue->delayed));
    if (state == REEVE_READY) return record_of(rv_tree_first(&queue->ready));
    return first_ended(queue, state);
}

int rv_mem_purge(struct rv_store *s, const char *queue_name, enum reeve_state state,
                 size_t *removed, struct rv_error *err) {
    (void)err;
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_find(memory, queue_name);
    struct record *record;
    while (queue && *removed < RV_TEND_MAX && (record = first_in(queue, state))) {
        rv_mem_record_remove(record);
        ++*removed;
    }
    return rv_mem_leave(memory, 0);
}
