/* The store contract, for those who implement one. Everybody else includes store.h.
 *
 * A store is a folder that ends in one `const struct rv_store_ops`; schemes.c names it. Stores
 * never call back, hold no policy (backoff, attempts, limits come down as data) and expose whole
 * transitions, never setters. rv_store_*() in store.c checks arguments against limits.h and zeroes
 * out-values before it calls an op.
 *
 * J1  A job has exactly one state; only the transitions of reeve.h exist.
 * J2  A job is RUNNING iff it has a holder, a token and a deadline (those of its claim).
 * J3  An outcome, a renewal or a note under any but the current token *and* holder changes nothing:
 *     REEVE_EFENCED (or `lost`), counted in fenced_total. By proxy (only_if_lapsed) it is
 *     REEVE_ESTATE instead, and not counted: two upkeeps at once are no loss of a lease.
 * J4  Tokens of a queue strictly grow, also across restarts: token = max(last + 1, wall time in
 *     microseconds). Those of a queue over several shards grow in each of them, and so for each
 *     job, which never leaves its shard.
 * J5  The holder is drawn by the client per claim: 64 random bits.
 * J6  Upkeep may run anywhere, any number of times, at once.
 * J7  A repeat changes nothing and tells the first outcome: a push by the nonce its record keeps;
 *     an exchange by lane and number (same number: the statuses and the still held jobs of that
 *     holder again; a lower number: REEVE_ESTATE for the whole call; a lane goes by one handle at
 *     a time, be it a new one; of one that was answered in part only what is left, see store.h);
 *     an outcome by token and
 *     holder even without a lane as long as the record remembers them: an ended, delayed or ready
 *     record whose last token and holder are those of the outcome answers REEVE_OK. A finish by
 *     proxy leaves no holder to remember: the owner who comes late is fenced, also while his job
 *     waits for its next attempt (else he would take his lost outcome for handed in).
 * J8  Deadlines are compared with the store's clock plus the offset of config->clock. Until it is
 *     finished by proxy, a lapsed claim's token stays current: renewals and outcomes under it
 *     count. An outcome with only_if_lapsed counts only while the deadline is past.
 * J9  Order: priority, then a sequence number given by the store when the job becomes ready by
 *     push, promotion, revival or a retry without delay. What is handed back keeps its place: ahead
 *     of all that was pushed after it. Due jobs are promoted by run_at, then by a number given at
 *     push: never by id.
 * J10 Bodies, results, details are bytes; ids are text; none is parsed, re-encoded or used raw as
 *     a key part.
 * J11 Every step is bounded by limits.h.
 * J12 What is removed by expiry, a bound, a purge or by hand is counted.
 * J13 Expiry is per record.
 * J14 One id, one job. Waiting, running or failed: REEVE_DUPLICATE. Done: REEVE_DUPLICATE_DONE.
 *     Cancelled: queued anew, as a new job (attempt 0, history kept no longer).
 *
 * Cancel marks: an outcome DELAYED or READY of a marked job comes to CANCELLED; DONE and FAILED
 * stand.
 * Records kept: DONE and CANCELLED (also by rv_store_cancel: its keep_ms as pushed) for keep_ms,
 * none if 0; FAILED until removed. An expired record is gone for every operation at once, even if
 * no upkeep has removed it yet (only the counts of stats may still hold it).
 * Events: pushed, claimed, retried, handed back, lapsed, ended, written by the step that makes the
 * transition, and only while the queue is watched. A lapse writes lapsed, then retried or ended. An
 * exchange writes those of what is handed in, then those of what is claimed: each in its order, but
 * if all that is handed in comes to DONE, the order holds under each lease only. A store may take
 * together what is under one, and shards know no order among them.
 * What is announced is an event, too: `why` takes the place of the state (rv_store_events() puts
 * both where they belong).
 * Counters: see struct reeve_queue; a lapse with attempts left counts in lapsed_total and
 * retried_total. Waiting jobs that were taken out (dropped_total) are not among the finished:
 * waiting + running = pushed + revived - finished - dropped.
 *
 * Grants (a store without RV_CAP_GRANTS leaves those slots NULL):
 * L1  A name is free if no lease on it stands (its deadline is not reached) and no ticket of
 *     another that stands comes before the asker's. Taking it is one step. The token is J4's, of
 *     that name and kind, and grows also over releases, lapses and restarts. Whoever has the name
 *     and asks again under his holder gets the same token and a lease from now (J7).
 * L2  A renewal counts only under the token and holder of a lease that stands: one that has lapsed
 *     is lost, whether or not somebody else has it by now (unlike claims, J8).
 * L3  A release counts only under the holder of the grant or of a ticket. It may be repeated; the
 *     second time there is nothing to let go: REEVE_EFENCED.
 * L4  A check holds only for the token of a lease that stands.
 * L5  Whoever cannot have a name may stand in line: he gets a ticket, in the order of arrival, that
 *     stands for ticket_ms and is prolonged by asking again. One that has lapsed is gone, and with
 *     it the place: dead waiters hold up nobody for longer. Taking the name uses it up.
 * L6  Asking a holder to resign takes nothing from him: his next renewals tell him. It is forgotten
 *     with the grant. So there is no moment with two holders at work.
 * L7  A release rings the bell of the name, and so does resign. A lapse does not: free_in_ms tells
 *     when to look.
 *
 * Streams: S1 to S9, in stream_ops.h.
 */
#ifndef RV_STORE_OPS_H
#define RV_STORE_OPS_H

#include "store/store.h"
#include "store/stream_ops.h"

struct rv_store_ops {
    unsigned caps;
    struct rv_push_step push_step; /* zeroed: as large as pushes may be */
    int (*open)(struct rv_store **out, const char *url, const struct rv_store_config *config,
                struct rv_error *err);
    void (*close)(struct rv_store *s);
    int64_t (*now_ms)(const struct rv_store *s);

    int (*push)(struct rv_store *s, const char *queue, const struct rv_new_job *jobs, size_t count,
                int64_t timeout_ms, struct rv_pushed *outs, struct rv_error *err);
    int (*exchange)(struct rv_store *s, struct rv_exchange *exchange, struct rv_exchanged *out,
                    struct rv_error *err);
    /* Both NULL: it never waits in an exchange. */
    bool (*is_patient)(struct rv_store *s);
    int (*attend)(struct rv_store *s, const struct rv_exchange *exchange, int64_t ms,
                  struct rv_exchanged *out, struct rv_error *err);
    int (*stir)(struct rv_store *s, const char *queue, uint64_t lane, struct rv_error *err);
    /* NULL without RV_CAP_AT_ONCE. */
    void (*exchange_all)(struct rv_store *s, struct rv_trade *trades, size_t count);
    int (*renew)(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                 int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err);
    void (*renew_all)(struct rv_store *s, struct rv_renewing *all, size_t count); /* or NULL */
    int (*lapsed)(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                  struct rv_error *err);
    int (*tend)(struct rv_store *s, const char *queue, struct rv_tended *out, struct rv_error *err);

    int (*read)(struct rv_store *s, const char *queue, const char *id, int64_t timeout_ms,
                struct reeve_job **out, struct rv_error *err);
    int (*cancel)(struct rv_store *s, const char *queue, const char *id, enum reeve_state *now,
                  struct rv_error *err);
    int (*revive)(struct rv_store *s, const char *queue, const char *id, struct rv_error *err);
    int (*remove)(struct rv_store *s, const char *queue, const char *id, struct rv_error *err);
    int (*keep)(struct rv_store *s, const char *queue, const char *id, int64_t keep_ms,
                struct rv_error *err);
    int (*check)(struct rv_store *s, const char *queue, const char *id, uint64_t token,
                 uint64_t holder, struct rv_error *err);
    int (*note)(struct rv_store *s, const char *queue, const struct rv_note *note,
                struct rv_error *err);
    int (*purge)(struct rv_store *s, const char *queue, enum reeve_state state, size_t *removed,
                 struct rv_error *err);
    int (*list)(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
                struct rv_error *err);

    int (*queues)(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                  struct rv_error *err);
    int (*stats)(struct rv_store *s, const char *queue, bool brief, struct reeve_queue *out,
                 struct rv_error *err);
    int (*pause)(struct rv_store *s, const char *queue, bool paused, struct rv_error *err);
    int (*set)(struct rv_store *s, const char *queue, const struct reeve_queue_settings *settings,
               struct rv_error *err);

    int (*beat)(struct rv_store *s, const struct rv_worker_row *worker, int64_t ttl_ms,
                struct rv_error *err);
    int (*leave)(struct rv_store *s, const char *worker_id, struct rv_error *err);
    int (*workers)(struct rv_store *s, struct rv_workers *out, struct rv_error *err);

    int (*grant_take)(struct rv_store *s, const struct rv_grant_ask *ask, int64_t timeout_ms,
                      struct rv_grant_answer *out, struct rv_error *err);
    int (*grant_renew)(struct rv_store *s, struct rv_grant_renewal *renewals, size_t count,
                       int64_t timeout_ms, struct rv_error *err);
    int (*grant_release)(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                         uint64_t holder, int64_t timeout_ms, struct rv_error *err);
    int (*grant_check)(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                       uint64_t token, struct rv_error *err);
    int (*grant_resign)(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                        struct rv_error *err);
    int (*grants)(struct rv_store *s, const struct rv_grants_query *query, struct rv_grants *out,
                  struct rv_error *err);

    const struct rv_stream_ops *streams; /* NULL without RV_CAP_STREAMS */

    int (*wait)(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
                struct rv_error *err);
    void (*wake)(struct rv_store *s);
    /* All NULL: it has none. */
    int (*box_take)(struct rv_store *s, int64_t timeout_ms, struct rv_box **out,
                    struct rv_error *err);
    void (*box_give)(struct rv_store *s, struct rv_box *box, bool deaf);
    int (*box_attend)(struct rv_store *s, struct rv_box *box, int64_t timeout_ms,
                      struct rv_list *told, struct rv_error *err);
    int (*announce)(struct rv_store *s, const char *queue, const struct rv_announcement *news,
                    int64_t timeout_ms, struct rv_error *err);
    int (*events)(struct rv_store *s, const char *queue, uint64_t after, struct rv_events *out,
                  struct rv_error *err);

    /* Both NULL: no server ever follows another. */
    bool (*failover)(struct rv_store *s, uint64_t after, struct rv_failover *out);
    int (*mend)(struct rv_store *s, int64_t *again_in_ms, struct rv_error *err);

    int (*examine)(struct rv_store *s, bool repair, struct rv_findings *out, struct rv_error *err);
};

/* The head of every store's own struct. */
struct rv_store {
    const struct rv_store_ops *ops;
};

/* What stands before the colon of a url, and the store that answers to it. */
struct rv_store_scheme {
    const char *name;
    const struct rv_store_ops *ops;
};

/* The table of schemes (schemes.c), ended by a NULL name. */
extern const struct rv_store_scheme rv_store_schemes[];
/* The store that url is for; NULL: there is none. */
const struct rv_store_ops *rv_store_ops_of(const char *url);

#endif
