/* The vocabulary of the store tests: push(f, "a"), claim_as(f, "w1", "a"), finish(f, held,
 * RV_SUCCEEDED). What the store accepts is counted in f->expected, so that check_totals() knows
 * what must be there. Records handed out live as long as the fixture. */
#ifndef HARNESS_JOBS_H
#define HARNESS_JOBS_H

#include <stdbool.h>

#include "core/outcome.h"
#include "harness/check.h"
#include "harness/fixture.h"
#include "harness/together.h"
#include "store/store.h"

/* ---- push ---- */
/* A job of f->queue with defaults: its id is its body, 3 attempts, kept for KEEP_MS. A fresh
 * nonce. */
struct rv_new_job new_job(struct fixture *f, const char *id);
struct rv_pushed push_job(struct fixture *f, const struct rv_new_job *job);
struct rv_pushed push(struct fixture *f, const char *id);
struct rv_pushed push_delayed(struct fixture *f, const char *id, int64_t delay_ms);
struct rv_pushed push_urgent(struct fixture *f, const char *id, int priority);
/* count jobs "PREFIX0", "PREFIX1", ... in steps of at most RV_PUSH_MAX; change may alter each, or
 * be NULL. */
void push_many(struct fixture *f, const char *prefix, size_t count,
               void (*change)(struct rv_new_job *job));

/* ---- claim ---- */
struct claimed {
    const char *queue;
    uint64_t holder;
    struct rv_exchanged got; /* owned by the fixture */
};

/* A job in hand. */
struct held {
    const char *queue;
    uint64_t holder, token;
    const struct reeve_job *job;
};

struct rv_exchange claim_request(struct fixture *f, const char *worker, size_t want);
/* One exchange; its jobs are checked to be whole, and their token to be the greatest so far (J2,
 * J4). */
struct claimed exchange(struct fixture *f, struct rv_exchange *request);
struct claimed claim_up_to(struct fixture *f, const char *worker, size_t want);
/* It must come next: of its shard, for others have their turns (what they give is handed back). */
struct held claim_as(struct fixture *f, const char *worker, const char *id);
/* The shard that a claim with jobs was made in; 0, if its queue has but one. */
unsigned shard_of(const struct fixture *f, const struct claimed *claimed);
struct held held_of(const struct claimed *claimed, size_t i);
#define CHECK_NOTHING_TO_CLAIM(f) CHECK_INT(claim_up_to((f), "nobody", 1).got.count, 0)

/* ---- finish ---- */
/* Hands in how an attempt ended and returns the status of that. A retry waits RETRY_MS. RV_LAPSED
 * is by proxy. */
int finish(struct fixture *f, struct held held, enum rv_ending ending);
int finish_with(struct fixture *f, struct held held, const struct rv_report *report);
int finish_with_result(struct fixture *f, struct held held, const void *data, size_t size);
/* The same again, after it was accepted (J7): nothing is to change, so nothing is counted. */
int repeat_finish(struct fixture *f, struct held held, enum rv_ending ending);
/* The outcome itself, for exchanges of the test's own. The caller releases it. */
struct rv_outcome judge(struct fixture *f, struct held held, const struct rv_report *report);
void count_outcome(struct fixture *f, const struct rv_outcome *outcome);

/* ---- leases, upkeep ---- */
bool renew(struct fixture *f, struct held held); /* false: lost */
size_t upkeep(struct fixture *f); /* finishes all lapsed jobs by proxy; how many counted */
/* Lapses what runs, finishes it by proxy and lets the backoff pass. Returns as upkeep. */
size_t recover(struct fixture *f);
struct rv_tended tend(struct fixture *f);

/* ---- one job ---- */
const struct reeve_job *read_job(struct fixture *f, const char *id);  /* NULL: there is none */
int cancel(struct fixture *f, const char *id, enum reeve_state *now); /* now may be NULL */
int revive(struct fixture *f, const char *id);
int remove_job(struct fixture *f, const char *id);
int keep(struct fixture *f, const char *id, int64_t keep_ms);
struct reeve_queue stats(struct fixture *f);

#define CHECK_STATE(f, id, state) check_state((f), (id), (state), __FILE__, __LINE__)
#define CHECK_GONE(f, id) CHECK(!read_job((f), (id)))
void check_state(struct fixture *f, const char *id, enum reeve_state state, const char *file,
                 int line);

#endif
