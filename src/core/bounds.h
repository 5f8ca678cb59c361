/* The bounds of a queue, as recorded (reeve_queue_set), and what they say. */
#ifndef RV_CORE_BOUNDS_H
#define RV_CORE_BOUNDS_H

#include <stdbool.h>

#include <reeve.h>

struct rv_bounds {
    int64_t max_length, keep_failed; /* 0: none */
    enum reeve_on_full on_full;      /* 0 is REEVE_REFUSE */
};

/* Zeroed fields of settings stay as they are, REEVE_NONE takes a bound away. */
void rv_bounds_change(struct rv_bounds *bounds, const struct reeve_queue_settings *settings);
/* Must another job that comes to wait be refused, or one make room for it? */
bool rv_bounds_full(const struct rv_bounds *bounds, uint64_t waiting);
/* How many failed records are too many. */
uint64_t rv_bounds_excess(const struct rv_bounds *bounds, uint64_t failed);
bool rv_bounds_drop(const struct rv_bounds *bounds); /* full: one makes room */
void rv_bounds_show(const struct rv_bounds *bounds, struct reeve_queue *out);

#endif
