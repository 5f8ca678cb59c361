#include "store/redis/seen.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_of(const struct rv_rd_seen_one *one, const struct rv_rd_shard *shard) {
    return one->number == shard->number && one->epoch == shard->epoch &&
           !strcmp(one->queue, shard->queue);
}

struct rv_rd_counters rv_rd_seen_of(const struct rv_rd_seen *seen, const struct rv_rd_shard *shard,
                                    size_t at) {
    if (at < seen->count && is_of(&seen->all[at], shard)) return seen->all[at].counters;
    for (size_t i = 0; i < seen->count; i++)
        if (is_of(&seen->all[i], shard)) return seen->all[i].counters;
    return (struct rv_rd_counters){0};
}

void rv_rd_seen_clear(struct rv_rd_seen *seen) {
    seen->count = 0;
}

void rv_rd_seen_put(struct rv_rd_seen *seen, const struct rv_rd_shard *shard,
                    const struct rv_rd_counters *counters) {
    if (seen->count == seen->room) {
        size_t room = seen->room ? 2 * seen->room : 8;
        struct rv_rd_seen_one *grown = realloc(seen->all, room * sizeof *grown);
        if (!grown) return;
        seen->all = grown;
        seen->room = room;
    }
    struct rv_rd_seen_one *one = &seen->all[seen->count++];
    memcpy(one->queue, shard->queue, strlen(shard->queue) + 1); /* checked: it fits */
    one->number = shard->number;
    one->epoch = shard->epoch;
    one->counters = *counters;
}

void rv_rd_seen_release(struct rv_rd_seen *seen) {
    free(seen->all);
}
