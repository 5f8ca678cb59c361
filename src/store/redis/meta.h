/* What a queue's key `meta` says, as lua/common.lua packs it. */
#ifndef RV_STORE_REDIS_META_H
#define RV_STORE_REDIS_META_H

#include <stdbool.h>
#include <stdint.h>

#include <reeve.h>

#include "base/bytes.h"
#include "base/error.h"
#include "core/bounds.h"

struct rv_rd_meta {
    bool known;  /* there is one */
    bool exists; /* for people: watching alone does not make a queue */
    bool paused;
    int64_t due_ms; /* of the first delayed job; 0: none */
    uint64_t token, seq;
    uint64_t counts[REEVE_CANCELLED + 1]; /* records by state */
    uint64_t pushed, finished, retried, lapsed, fenced, expired, refused, dropped, trimmed;
    uint64_t marked, event;
    int64_t watched_until_ms;
    struct rv_bounds bounds;
    uint64_t epoch;  /* of the split; 0: it was never split over several shards */
    unsigned shards; /* as many there are */
};

/* Empty bytes: a queue that nobody knows. REEVE_ESCHEMA if a newer library wrote it, REEVE_ECORRUPT
 * if none did. queue: for the text. */
int rv_rd_meta_read(const char *queue, struct rv_bytes bytes, struct rv_rd_meta *out,
                    struct rv_error *err);

#endif
