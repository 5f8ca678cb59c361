/* memory: a store private to its handle, gone with it. Opening, closing, and its table of ops. */
#include "store/memory/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/cond.h"
#include "store/memory/streams.h"

void rv_mem_read_clock(struct memory *memory) {
    int64_t wall_us = rv_clock_wall_us(memory->clock);
    memory->now = (struct moment){
        .wall_us = wall_us, .wall_ms = wall_us / 1000, .boot_ms = rv_clock_boot_ms(memory->clock)};
}

struct memory *rv_mem_enter(struct rv_store *s) {
    struct memory *memory = rv_container_of(s, struct memory, base);
    (void)pthread_mutex_lock(&memory->lock);
    rv_mem_read_clock(memory);
    return memory;
}

int rv_mem_leave(struct memory *memory, int rc) {
    if (memory->changed) (void)pthread_cond_broadcast(&memory->bell);
    memory->changed = false;
    (void)pthread_mutex_unlock(&memory->lock);
    return rc;
}

static int memory_open(struct rv_store **out, const char *url, const struct rv_store_config *config,
                       struct rv_error *err) {
    if (strcmp(url, "memory:") != 0)
        return rv_fail(err, REEVE_EINVAL, "the memory store has no name: say just 'memory:'");
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory) return rv_fail(err, REEVE_ENOMEM, "open memory:");
    if (rv_cond_init(&memory->bell)) {
        free(memory);
        return rv_fail(err, REEVE_ENOMEM, "open memory:");
    }
    (void)pthread_mutex_init(&memory->lock, NULL);
    memory->base.ops = &rv_store_memory;
    memory->clock = config->clock;
    rv_list_init(&memory->queues);
    rv_list_init(&memory->workers);
    rv_list_init(&memory->grants);
    rv_list_init(&memory->groups);
    *out = &memory->base;
    return 0;
}

static void memory_close(struct rv_store *s) {
    struct memory *memory = rv_container_of(s, struct memory, base);
    for (struct rv_list *link; (link = rv_list_pop(&memory->queues));)
        rv_mem_queue_destroy(rv_container_of(link, struct queue, link));
    rv_mem_worker_clear(memory);
    rv_mem_grant_clear(memory);
    rv_mem_group_clear(memory);
    rv_map_release(&memory->by_name);
    (void)pthread_cond_destroy(&memory->bell);
    (void)pthread_mutex_destroy(&memory->lock);
    free(memory);
}

static int64_t memory_now_ms(const struct rv_store *s) {
    const struct memory *memory = (const struct memory *)(const void *)s; /* base is its head */
    return rv_clock_wall_ms(memory->clock);
}

static const struct rv_stream_ops memory_streams = {
    .offer = rv_mem_stream_offer,
    .take = rv_mem_stream_take,
    .renew = rv_mem_stream_renew,
    .end = rv_mem_stream_end,
    .yield = rv_mem_stream_yield,
    .recall = rv_mem_stream_recall,
    .recover = rv_mem_stream_recover,
    .claim = rv_mem_stream_claim,
    .list = rv_mem_stream_list,
    .read = rv_mem_stream_read,
    .groups = rv_mem_stream_groups,
    .stats = rv_mem_stream_stats,
    .letters = rv_mem_stream_letters,
    .revive = rv_mem_stream_revive,
    .purge = rv_mem_stream_purge,
    .beat = rv_mem_stream_beat,
    .members = rv_mem_stream_members,
    .reset = rv_mem_stream_reset,
};

const struct rv_store_ops rv_store_memory = {
    .caps = RV_CAP_GRANTS | RV_CAP_STREAMS,
    .open = memory_open,
    .close = memory_close,
    .now_ms = memory_now_ms,
    .push = rv_mem_push,
    .exchange = rv_mem_exchange,
    .renew = rv_mem_renew,
    .lapsed = rv_mem_lapsed,
    .tend = rv_mem_tend,
    .read = rv_mem_read,
    .cancel = rv_mem_cancel,
    .revive = rv_mem_revive,
    .remove = rv_mem_remove,
    .keep = rv_mem_keep,
    .check = rv_mem_check,
    .note = rv_mem_note,
    .purge = rv_mem_purge,
    .list = rv_mem_list,
    .queues = rv_mem_queues,
    .stats = rv_mem_stats,
    .pause = rv_mem_pause,
    .set = rv_mem_set,
    .beat = rv_mem_beat,
    .leave = rv_mem_leave_worker,
    .workers = rv_mem_workers,
    .grant_take = rv_mem_grant_take,
    .grant_renew = rv_mem_grant_renew,
    .grant_release = rv_mem_grant_release,
    .grant_check = rv_mem_grant_check,
    .grant_resign = rv_mem_grant_resign,
    .grants = rv_mem_grants,
    .streams = &memory_streams,
    .wait = rv_mem_wait,
    .wake = rv_mem_wake,
    .announce = rv_mem_announce,
    .events = rv_mem_events,
    .examine = rv_mem_examine,
};
