/* What becomes of a job when an attempt ends: the one place where attempts, backoff and limits are
 * judged. Pure. Stores get the answer as data and decide only whether it still counts (J3). */
#ifndef RV_CORE_OUTCOME_H
#define RV_CORE_OUTCOME_H

#include <reeve.h>

#include "base/buf.h"
#include "base/random.h"

/* How an attempt ended. */
enum rv_ending {
    RV_SUCCEEDED = 1,
    RV_FAILED_ATTEMPT, /* retried while attempts remain */
    RV_GIVEN_UP,
    RV_HANDED_BACK, /* not counted */
    RV_LAPSED,      /* found by upkeep, finished by proxy: accepted only while the lease is over */
    RV_STOPPED,     /* because it was cancelled, and the holder says so */
};

/* The transition to make, whole: stores write it as it stands. */
struct rv_outcome {
    /* Which job, under which lease (J3, J5). */
    const char *id;
    uint64_t holder, token;
    bool only_if_lapsed; /* by proxy: refused (REEVE_ESTATE) while the lease stands */

    /* What it comes to. */
    enum rv_ending ending;
    enum reeve_state
        state; /* DONE, FAILED, CANCELLED, DELAYED, READY. A job marked as cancelling comes to
                * CANCELLED instead of DELAYED or READY: the store knows the mark, see ops.h */
    int64_t delay_ms; /* with DELAYED */
    int attempt;      /* counted so far, this one included unless handed back */
    int64_t
        keep_ms; /* of DONE and CANCELLED records; 0: none is kept. FAILED ones stay until purged */
    bool has_result;
    const void *result;
    size_t result_size;
    const struct reeve_failure *error; /* to be the record's error, or NULL: leave it as it is */
    struct rv_buf history;             /* the record's whole history from now on; owned */

    int status; /* out, by the store: REEVE_OK, REEVE_EFENCED, REEVE_ESTATE (only_if_lapsed and not
                   so) */
};

/* What an attempt has to say at its end. result and error are borrowed until the outcome is handed
 * in. */
struct rv_report {
    enum rv_ending ending;
    bool has_result;
    const void *result;
    size_t result_size;
    const struct reeve_failure *error; /* NULL unless it failed */
    int64_t ended_at_ms; /* store's time as the holder reckons it: for the history only */
};

/* The wait before attempt + 1, when `attempt` (>= 1) of them have failed, before jitter; and with
 * it. */
int64_t rv_backoff_ms(enum reeve_backoff backoff, int64_t first_ms, int64_t max_ms, int attempt);
int64_t rv_jitter_ms(int64_t backoff_ms, const struct rv_random *random); /* 0..backoff_ms */

/* Judges an attempt of job (RUNNING, as claimed: its attempt counts this one) by report. 0 or
 * REEVE_ENOMEM; on 0 *out owns its history: rv_outcome_release(). */
int rv_outcome_judge(const struct reeve_job *job, uint64_t holder, const struct rv_report *report,
                     const struct rv_random *random, struct rv_outcome *out);
void rv_outcome_release(struct rv_outcome *outcome);

#endif
