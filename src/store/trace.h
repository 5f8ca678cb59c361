/* A store that tells the log of each call to another. */
#ifndef RV_STORE_TRACE_H
#define RV_STORE_TRACE_H

#include "store/store.h"

/* *out owns inner from now on. Each call is logged as debug under "store.OP": queue, counts,
 * answer, duration. Whoever asks for a trace gets it, whatever the level of log. On failure inner
 * is still the caller's. */
int rv_trace_open(struct rv_store **out, struct rv_store *inner, const struct rv_log *log,
                  struct rv_error *err);

#endif
