/* Lanes: the latest answer of each asker, kept for its repeat (J7). */
#include "store/memory/memory.h"

#include <stdlib.h>

static bool is_silent(const struct queue *queue, const struct lane *lane) {
    return lane->used_at + RV_LANE_KEPT_MS <= queue->memory->now.boot_ms;
}

static void drop(struct queue *queue, struct lane *lane) {
    rv_tree_remove(&queue->lanes, &lane->by_id);
    rv_list_remove(&lane->link);
    free(lane);
}

struct lane *rv_mem_lane_find(struct queue *queue, uint64_t id) {
    struct rv_tree_node *node = rv_tree_find(&queue->lanes, 0, id);
    if (!node) return NULL;
    struct lane *lane = rv_container_of(node, struct lane, by_id);
    if (!is_silent(queue, lane)) return lane;
    drop(queue, lane);
    return NULL;
}

void rv_mem_lane_note(struct queue *queue, struct lane *lane, bool is_new,
                      const struct rv_exchange *request, uint64_t token) {
    if (is_new) {
        rv_tree_add(&queue->lanes, &lane->by_id, 0, request->lane);
        rv_list_init(&lane->link);
    }
    rv_list_remove(&lane->link);
    rv_list_add_tail(&queue->lanes_by_use, &lane->link);
    lane->used_at = queue->memory->now.boot_ms;
    lane->number = request->number;
    lane->token = token;
    lane->status_count = request->outcome_count;
    for (size_t i = 0; i < request->outcome_count; i++)
        lane->statuses[i] = request->outcomes[i].status;
}

void rv_mem_lane_expire(struct queue *queue) {
    while (!rv_list_empty(&queue->lanes_by_use)) {
        struct lane *lane = rv_container_of(queue->lanes_by_use.next, struct lane, link);
        if (!is_silent(queue, lane)) return;
        drop(queue, lane);
    }
}

void rv_mem_lane_clear(struct queue *queue) {
    while (!rv_list_empty(&queue->lanes_by_use))
        drop(queue, rv_container_of(queue->lanes_by_use.next, struct lane, link));
}
