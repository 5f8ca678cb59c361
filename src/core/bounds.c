#include "core/bounds.h"

static void change(int64_t *bound, int64_t setting) {
    if (setting) *bound = setting == REEVE_NONE ? 0 : setting;
}

void rv_bounds_change(struct rv_bounds *bounds, const struct reeve_queue_settings *settings) {
    change(&bounds->max_length, settings->max_length);
    change(&bounds->keep_failed, settings->keep_failed);
    if (settings->on_full) bounds->on_full = settings->on_full;
}

bool rv_bounds_full(const struct rv_bounds *bounds, uint64_t waiting) {
    return bounds->max_length && waiting >= (uint64_t)bounds->max_length;
}

uint64_t rv_bounds_excess(const struct rv_bounds *bounds, uint64_t failed) {
    uint64_t kept = (uint64_t)bounds->keep_failed;
    return kept && failed > kept ? failed - kept : 0;
}

bool rv_bounds_drop(const struct rv_bounds *bounds) {
    return bounds->on_full == REEVE_DROP_OLDEST;
}

void rv_bounds_show(const struct rv_bounds *bounds, struct reeve_queue *out) {
    out->max_length = bounds->max_length;
    out->keep_failed = bounds->keep_failed;
    out->on_full = bounds->on_full ? bounds->on_full : REEVE_REFUSE;
}
