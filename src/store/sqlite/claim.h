/* A claim: one lease over the jobs that one exchange brought. And records as people see them, which
 * while RUNNING is what record and claim say together. */
#ifndef RV_STORE_SQLITE_CLAIM_H
#define RV_STORE_SQLITE_CLAIM_H

#include "store/sqlite/record.h"
#include "store/sqlite/step.h"

struct rv_sq_claim {
    uint64_t holder, token; /* token 0: there is no such claim */
    int64_t queue;
    int64_t started_at_ms;
    int64_t deadline_ms; /* CLOCK_BOOTTIME */
    int64_t jobs;        /* how many it still has */
    bool large;          /* some have their body, or notes, in a table of their own */
    bool marked;         /* some may be told to stop */
    char worker[RV_WORKER_NAME_MAX + 1];
};

int rv_sq_claim_read(struct rv_sq_step *step, uint64_t holder, struct rv_sq_claim *out,
                     struct rv_error *err);
int rv_sq_claim_add(struct rv_sq_step *step, const struct rv_sq_claim *claim, struct rv_error *err);
/* Writes how many jobs it still has; without any it goes. */
int rv_sq_claim_save(struct rv_sq_step *step, const struct rv_sq_claim *claim,
                     struct rv_error *err);
bool rv_sq_claim_lapsed(const struct rv_sq_step *step, const struct rv_sq_claim *claim);

/* The record as one block. claim: the one that has it; NULL: it is looked up if need be. */
int rv_sq_show(struct rv_sq_step *step, const struct rv_sq_record *record,
               const struct rv_sq_claim *claim, struct reeve_job **out, struct rv_error *err);

/* The jobs that claim has, oldest place first, into out[0..]; at most RV_CLAIM_MAX. */
int rv_sq_show_claimed(struct rv_sq_step *step, const struct rv_sq_claim *claim,
                       struct reeve_job **out, size_t *count, struct rv_error *err);

#endif
