/* Pushes that are repeated until it is known what became of them, ids and nonces unchanged (J7), or
 * the time is over. */
#ifndef RV_SERVICE_REPEAT_H
#define RV_SERVICE_REPEAT_H

#include "store/store.h"

/* How long: */
struct rv_repeat {
    int64_t timeout_ms; /* no more is begun after that; what is may take as long as any call */
    int64_t until_ms;   /* boot: it is over in any case; INT64_MAX: there is no such moment */
};

/* As rv_store_push(), again as long as its answer is lost. */
int rv_repeat_push(struct rv_store *store, struct rv_repeat time, const char *queue,
                   const struct rv_new_job *jobs, size_t count, struct rv_pushed *outs,
                   struct rv_error *err);

/* Whether a part of the store did not answer, and left some of them as they are. */
bool rv_repeat_is_left(const struct rv_pushed *outs, size_t count);
/* Those that were left, alone. 0: each has its answer; else that of all is the same error. *err:
 * what was told of them so far. */
int rv_repeat_rest(struct rv_store *store, struct rv_repeat time, const char *queue,
                   const struct rv_new_job *jobs, size_t count, struct rv_pushed *outs,
                   struct rv_error *err);

#endif
