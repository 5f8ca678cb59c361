/* Pushes of several callers, put together into one step of the store. Each caller's is an ask, on
 * his own stack. */
#ifndef RV_SERVICE_BATCH_H
#define RV_SERVICE_BATCH_H

#include <stdbool.h>

#include "base/list.h"
#include "store/store.h"

struct rv_ask {
    const char *queue;
    const struct rv_new_job *jobs;
    size_t count, bytes;
    struct rv_pushed *outs;
    int64_t until_ms; /* boot: he has to be told by then; INT64_MAX: there is time */

    struct rv_list link; /* among those of a batch */
    bool hurried;        /* the step was given up because somebody else in it had no more time */
    int status;
    struct rv_error *err; /* the caller's; not NULL */
};

void rv_ask_init(struct rv_ask *ask, const char *queue, const struct rv_new_job *jobs, size_t count,
                 struct rv_pushed *outs, struct rv_error *err);

/* For who asked, once he was told: what the step left open is pushed by him alone, so that he holds
 * up nobody. Whether there was anything. timeout_ms: as in rv_repeat. */
bool rv_ask_settle(struct rv_ask *ask, struct rv_store *store, int64_t timeout_ms);

/* The asks of one step, of one queue, and their jobs side by side. */
struct rv_batch {
    struct rv_list asks;
    size_t count, bytes;
    int64_t until_ms; /* the first of theirs */
    struct rv_new_job *jobs;
    struct rv_pushed *outs;
};

void rv_batch_init(struct rv_batch *batch, struct rv_ask *first);
/* False: one step may not hold so much. */
bool rv_batch_add(struct rv_batch *batch, struct rv_ask *ask, struct rv_push_step most);
bool rv_batch_is_shared(const struct rv_batch *batch);
/* Pushes them, and repeats what is unsure, ids and nonces unchanged (J7), for timeout_ms. Each ask
 * has its answer then. One's refusal never sinks others. */
void rv_batch_send(struct rv_batch *batch, struct rv_store *store, int64_t timeout_ms);
/* The next ask, taken out; NULL: that was the last. */
struct rv_ask *rv_batch_pop(struct rv_batch *batch);

#endif
