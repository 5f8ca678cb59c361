/* The store as the rest of the library sees it. Every operation concerns one queue (one shard of
 * it) and is one atomic step: done, refused (nothing happened), REEVE_EUNREACHABLE (nothing
 * happened) or REEVE_EUNSURE (the answer was lost; repeating the same call is safe and tells the
 * first outcome, J7). Any operation may be called from any thread at any time; only rv_store_wait()
 * blocks for other than the store's own work. The contract is numbered in ops.h. */
#ifndef RV_STORE_STORE_H
#define RV_STORE_STORE_H

#include "base/clock.h"
#include "base/error.h"
#include "base/list.h"
#include "base/log.h"
#include "core/check.h"
#include "core/outcome.h"
#include "core/step.h"
#include "store/streams.h"

struct rv_store;

struct rv_store_config {
    const char *space;
    int64_t timeout_ms;           /* of a call, reconnecting included */
    const struct rv_log *log;     /* outlives the store */
    const struct rv_clock *clock; /* outlives the store */
    bool make_folders;            /* that lead to a file, all of them; else at most the last */
};

/* Opens or creates what url names. A store that is away, or whose first connection is cut, is
 * REEVE_EUNREACHABLE here: callers that can wait try again. */
int rv_store_open(struct rv_store **out, const char *url, const struct rv_store_config *config,
                  struct rv_error *err);
void rv_store_close(struct rv_store *s); /* NULL is fine; no call may be under way */

/* What a store can do, as bits. */
enum {
    RV_CAP_SHARED = 1,   /* other processes reach the same data */
    RV_CAP_DURABLE = 2,  /* what was acknowledged survives a crash of this process */
    RV_CAP_GRANTS = 4,   /* it leases names; without, those calls are REEVE_ENOTSUP */
    RV_CAP_STREAMS = 8,  /* it shares out streams; without, those calls are REEVE_ENOTSUP */
    RV_CAP_SHARDS = 16,  /* a queue may be divided into several */
    RV_CAP_AT_ONCE = 32, /* exchanges with several queues are made at once */
    RV_CAP_TELLS = 64,   /* ends are told to who waits for them: rv_bell.told */
};
unsigned rv_store_caps(const struct rv_store *s);

/* How large pushes should be: larger ones are not faster, and hold up others that use the store. */
struct rv_push_step rv_store_push_step(const struct rv_store *s);
/* The store's wall time now, for reckoning (never for decisions). */
int64_t rv_store_now_ms(const struct rv_store *s);

/* ---- push ---- */
struct rv_pushed {
    enum reeve_push_status status; /* 0 if refused */
    enum reeve_state state;
    int error;              /* why this one was refused */
    struct reeve_job *done; /* with REEVE_DUPLICATE_DONE; the caller frees it */
};

/* Puts count (1..RV_PUSH_MAX) jobs of one queue in, with an answer for each (J14). The id decides
 * alone; the same id twice in one batch: the first wins. A job whose nonce is that of the record it
 * meets was pushed by this very request before and is answered REEVE_QUEUED again (J7). outs is
 * zeroed first. A store of several parts may answer for those that do: the error of a job whose
 * part does not is REEVE_EUNREACHABLE or REEVE_EUNSURE then, and *err says why. */
int rv_store_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs,
                  size_t count, struct rv_pushed *outs, struct rv_error *err);
/* The same for who has less time than a call may take. */
int rv_store_push_within(struct rv_store *s, const char *queue, const struct rv_new_job *jobs,
                         size_t count, int64_t timeout_ms, struct rv_pushed *outs,
                         struct rv_error *err);

/* ---- exchange: hand in, then claim ---- */
struct rv_exchange {
    const char *queue;
    int64_t timeout_ms; /* of this call */
    uint64_t lane,
        number; /* J7: who asks, and the how-manieth request of his; lane 0: no memory wanted */
    struct rv_outcome *outcomes; /* handed in; each gets its status */
    size_t outcome_count;        /* 0..RV_CLAIM_MAX */
    size_t want;                 /* claim up to; 0..RV_CLAIM_MAX; 0: only hand in */
    uint64_t holder;             /* drawn for this claim (J5); not 0 if want > 0 */
    int64_t lease_ms;
    const char *worker; /* the holder's name, for people */
    /* If there is nothing to claim, and the store can (rv_store_is_patient()), it stands by for so
     * long: see rv_store_attend(). Needs a lane. */
    int64_t stand_by_ms;
    bool again;     /* it may stand by, and is sent once more to end that: nobody attends it */
    bool in_part;   /* it may be answered in part: see rv_store_exchange() */
    bool brief;     /* there is more to do than wait for it: what stands still is not waited for */
    unsigned doubt; /* what is left of one that was: as that answer said; else 0 */
};

struct rv_exchanged {
    struct reeve_job **jobs; /* claimed, in claim order; RUNNING, whole, each a block */
    size_t count;
    uint64_t token; /* of the claim, if count > 0: all its jobs share it */
    bool more;      /* ready jobs were left behind */
    bool paused;
    int64_t due_in_ms; /* until the next delayed job is due; -1: none is waiting */
    bool replayed;     /* this was a repeat: the first outcome is told again */
    bool stands_by;    /* a job that comes may be claimed for it */
    unsigned doubt; /* with in_part: jobs may have been claimed where no answer came from; else 0 */
};

/* Outcomes first, each under its token and holder, independent of one another (J3). Then, if any
 * are wanted, due jobs become ready (<= RV_PROMOTE_MAX), and up to `want` READY ones, most urgent
 * first (J9), are claimed under one lease with one new token (J4): fewer once their bodies come to
 * RV_TAKE_BYTES_MAX. An exchange that changes nothing writes nothing.
 *
 * A store of several parts may do without one of them that does not answer, if the exchange says
 * that it may be answered in part, and some other part does answer. An outcome that is that part's
 * has the status REEVE_EUNREACHABLE (nothing happened: hand it in again, in whatever request) or
 * REEVE_EUNSURE; a claim that may have been made there is told by doubt, and brings no jobs now.
 * What is unsure is left of the request, and to be repeated until it is settled, like any that is
 * (J7): the same lane, number and holder, the outcomes that are REEVE_EUNSURE in their order and no
 * others; with doubt what was wanted, and that doubt; else want 0. While that is left, other
 * requests go by another lane. To what is left REEVE_EUNREACHABLE is no answer: it is as unsure as
 * before. */
int rv_store_exchange(struct rv_store *s, struct rv_exchange *exchange, struct rv_exchanged *out,
                      struct rv_error *err);
/* ---- standing by: the next job is claimed for who has nothing to do by the step that makes it
 * ready ---- */
/* Whether an exchange can stand by now. */
bool rv_store_is_patient(struct rv_store *s);
/* Waits up to ms for what is claimed for an exchange that stands by. If *out has jobs, that is its
 * claim; if it has `more`, there may be some: it stands by no more, and another is to be made. Else
 * its time is over, somebody stirred it, or (whatever is returned) it can be heard of no more: then
 * it is to be repeated as it is, which ends standing by and tells what was claimed meanwhile (J7).
 * Only one at a time for a lane. */
int rv_store_attend(struct rv_store *s, const struct rv_exchange *exchange, int64_t ms,
                    struct rv_exchanged *out, struct rv_error *err);
/* Has who attends, or the next to do so, to an exchange of that lane return. */
int rv_store_stir(struct rv_store *s, const char *queue, uint64_t lane, struct rv_error *err);

struct rv_trade {
    struct rv_exchange *exchange;
    /* Out: */
    struct rv_exchanged got;
    int rc;
    struct rv_error err;
};

/* Exchanges with several queues, no two of them with the same: each for itself, as above. Where the
 * store can, they are made at once. */
void rv_store_exchange_all(struct rv_store *s, struct rv_trade *trades, size_t count);
void rv_exchanged_release(
    struct rv_exchanged *exchanged); /* frees the jobs still there (not NULL) and the array */

/* ---- leases ---- */
struct rv_renewal {
    uint64_t holder, token;
    int64_t lease_ms; /* from the store's now */
    bool lost;        /* out: not the current lease of anything any more */
    bool missed;      /* out: where it is kept could not be asked: neither good nor lost */
};

struct rv_cancel_mark {
    uint64_t holder;
    char id[REEVE_ID_SIZE];
};

struct rv_cancel_marks {
    struct rv_cancel_mark *marks; /* one array; free() */
    size_t count;
};

/* Renews count (1..RV_RENEW_MAX) claims of one queue. A lapsed claim that nobody has finished by
 * proxy is renewed all the same (J8). *marks lists the jobs of these claims that were cancelled:
 * again at each renewal until they are handed in. */
int rv_store_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                   int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err);

struct rv_renewing {
    const char *queue;
    struct rv_renewal *claims;
    size_t count;
    int64_t timeout_ms;
    /* Out: */
    struct rv_cancel_marks marks;
    int rc;
    struct rv_error err;
};

/* The same for several queues, each for itself. Where the store can, they are renewed at once. */
void rv_store_renew_all(struct rv_store *s, struct rv_renewing *all, size_t count);

/* ---- upkeep ---- */
struct rv_lapsed_job {
    struct reeve_job *job; /* RUNNING, as its holder claimed it */
    uint64_t holder;
};

struct rv_lapsed {
    struct rv_lapsed_job
        *jobs; /* whole claims, at most RV_CLAIM_MAX jobs; at least one claim if any lapsed */
    size_t count;
    int64_t next_in_ms; /* until the next lease that stands now is over; -1: none */
};

/* Jobs of this queue whose lease is over, for their holders' outcomes to be handed in by proxy.
 * Changes nothing: two at once are harmless (J6). */
int rv_store_lapsed(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                    struct rv_error *err);
void rv_lapsed_release(struct rv_lapsed *lapsed);

struct rv_tended {
    size_t promoted, expired;
    bool more;          /* a bound was hit: call again */
    int64_t next_in_ms; /* until the next of either is due; -1: none */
    /* Until the first lease is over; -1: there is none. 0: some may be, rv_store_lapsed() tells. */
    int64_t lapses_in_ms;
};

/* Due jobs become ready (<= RV_PROMOTE_MAX), records kept long enough and failed ones beyond
 * keep_failed go (<= RV_TEND_MAX of each, counted), silent lanes and old events go. Writes nothing
 * if there is nothing to do. */
int rv_store_tend(struct rv_store *s, const char *queue, struct rv_tended *out,
                  struct rv_error *err);

/* ---- one job ---- REEVE_ENOENT if there is no record ---- */
int rv_store_read(struct rv_store *s, const char *queue, const char *id, struct reeve_job **out,
                  struct rv_error *err);
/* The same for who has less time than a call may take. */
int rv_store_read_within(struct rv_store *s, const char *queue, const char *id, int64_t timeout_ms,
                         struct reeve_job **out, struct rv_error *err);
/* DELAYED, READY: CANCELLED at once. RUNNING: marked, *now = RUNNING. Ended: REEVE_ESTATE. */
int rv_store_cancel(struct rv_store *s, const char *queue, const char *id, enum reeve_state *now,
                    struct rv_error *err);
/* FAILED, CANCELLED: READY at the end of the line, attempt 0, history and error kept. Others:
 * REEVE_ESTATE. */
int rv_store_revive(struct rv_store *s, const char *queue, const char *id, struct rv_error *err);
/* Any but RUNNING (REEVE_ESTATE): the record goes. */
int rv_store_remove(struct rv_store *s, const char *queue, const char *id, struct rv_error *err);
/* Ended: the record stays keep_ms (> 0) from now; others: REEVE_ESTATE. */
int rv_store_keep(struct rv_store *s, const char *queue, const char *id, int64_t keep_ms,
                  struct rv_error *err);

/* Is (token, holder) the current lease of this RUNNING job? 0 or REEVE_EFENCED (J3; not counted).
 * REEVE_ENOENT if there is no record. */
int rv_store_check(struct rv_store *s, const char *queue, const char *id, uint64_t token,
                   uint64_t holder, struct rv_error *err);

/* What a running job tells of itself. */
struct rv_note {
    const char *id;
    uint64_t token, holder;
    int progress;     /* 0..100, or -1: leave it */
    const char *line; /* for its log, or NULL; at most RV_LOG_LINE_MAX bytes */
};

/* Under its token and holder (J3: REEVE_EFENCED, counted). The log keeps its last RV_LOG_LINES_MAX
 * lines. Both stay over retries and revivals, and go with the record. The one exception to J7: a
 * line that is told again after its answer was lost may stand there twice. */
int rv_store_note(struct rv_store *s, const char *queue, const struct rv_note *note,
                  struct rv_error *err);

/* ---- many jobs ---- */
/* Removes up to RV_TEND_MAX jobs in that state (not RUNNING), in no particular order, counted in
 * dropped_total or trimmed_total. *removed tells how many: 0 means that none is left. */
int rv_store_purge(struct rv_store *s, const char *queue, enum reeve_state state, size_t *removed,
                   struct rv_error *err);

#define RV_CURSOR_SIZE 64

struct rv_list_query {
    const char *queue;
    enum reeve_state state; /* 0: any */
    const char *kind;       /* NULL: any */
    const char *after;      /* cursor of the page before, or NULL */
    size_t limit;           /* 1..RV_LIST_MAX */
};

struct rv_jobs {
    struct reeve_job **jobs; /* each a block */
    size_t count;
    char cursor[RV_CURSOR_SIZE]; /* "" at the end; else [A-Za-z0-9_-]+ to go on with, even if count
                                    is 0 */
};

/* A page may be shorter than limit, and ends at RV_TAKE_BYTES_MAX at the latest: only an empty
 * cursor is the end of the list. */
int rv_store_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
                  struct rv_error *err);
void rv_jobs_release(struct rv_jobs *jobs);

/* ---- queues ---- a queue exists once it was pushed to, paused or set ---- */
struct rv_names {
    char (*names)[REEVE_NAME_SIZE]; /* one array; free() */
    size_t count;
};

/* Up to limit names after `after` (NULL: from the first), in byte order. */
int rv_store_queues(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                    struct rv_error *err);
/* Counts and counters; out->name is queue itself. REEVE_ENOENT if there is no such queue. Answers
 * in time that does not grow with the jobs. */
int rv_store_stats(struct rv_store *s, const char *queue, struct reeve_queue *out,
                   struct rv_error *err);
/* The same for who has other queues to look at: a part of the store that does not answer is not
 * waited for as long. */
int rv_store_stats_briefly(struct rv_store *s, const char *queue, struct reeve_queue *out,
                           struct rv_error *err);
int rv_store_pause(struct rv_store *s, const char *queue, bool paused, struct rv_error *err);

/* Makes the queue if need be. Zeroed fields stay, REEVE_NONE takes a bound away. A job pushed anew
 * that finds max_length jobs waiting (DELAYED, READY) is refused by itself with REEVE_EFULL,
 * counted in refused_total; what is known already is answered as ever. With REEVE_DROP_OLDEST it
 * takes the place of the READY job that is first in the least urgent level or, if none is ready,
 * of the DELAYED one that is due first (dropped_total; event ended, state CANCELLED, no record). A
 * job that fails beyond keep_failed removes the failed record that ended first (trimmed_total);
 * tend does the same while there are too many. */
int rv_store_set(struct rv_store *s, const char *queue, const struct reeve_queue_settings *settings,
                 struct rv_error *err);

/* ---- workers ---- per-member expiry, for people; no decision hangs on it ---- */
struct rv_worker_row {
    char id[REEVE_ID_SIZE];
    char name[REEVE_ID_SIZE];
    char queues[1024]; /* separated by spaces, cut to fit */
    char kinds[1024];  /* likewise; "*": any. "" if it does not say */
    int threads;
    uint64_t running;
    int64_t started_at_ms, seen_at_ms; /* seen: out */
    int64_t degraded_since_ms;
    int64_t claimed_at_ms; /* when the store last answered a claim; 0: it does not say */
};

struct rv_workers {
    struct rv_worker_row *rows; /* one array; free() */
    size_t count;
};

int rv_store_beat(struct rv_store *s, const struct rv_worker_row *worker, int64_t ttl_ms,
                  struct rv_error *err); /* first time: registers */
int rv_store_leave(struct rv_store *s, const char *worker_id, struct rv_error *err);
int rv_store_workers(struct rv_store *s, struct rv_workers *out,
                     struct rv_error *err); /* not the expired */

/* ---- grants: leases of names ---- a grant is held by one holder at a time, under a token; the
 * rules are L1 to L7 of ops.h ---- */
enum rv_grant_kind { /* names of one kind are nothing to those of another */
                     RV_GRANT_LEADER = 1,
                     RV_GRANT_LOCK,
                     RV_GRANT_UPKEEP, /* the library's own election */
};

struct rv_grant_ask {
    enum rv_grant_kind kind;
    const char *name;
    uint64_t holder;   /* drawn for this acquisition (J5); not 0 */
    int64_t lease_ms;  /* from the store's now */
    int64_t ticket_ms; /* stand in line for so long if it cannot be had now; 0: do not */
    const char *by;    /* who asks, for people */
};

struct rv_grant_answer {
    uint64_t token;     /* of the grant; 0: not granted */
    int64_t free_in_ms; /* not granted: until the lease, or the ticket, that is in the way ends */
    size_t ahead;       /* not granted, and in line: how many come first */
};

/* Takes the name if it is free (L1), else stands in line if asked to (L5). Asking again with the
 * same holder is a repeat: it tells the same token, and the lease counts from now. */
int rv_store_grant_take(struct rv_store *s, const struct rv_grant_ask *ask, int64_t timeout_ms,
                        struct rv_grant_answer *out, struct rv_error *err);

struct rv_grant_renewal {
    enum rv_grant_kind kind;
    const char *name;
    uint64_t holder, token;
    int64_t lease_ms; /* from the store's now */
    bool lost;        /* out: over, or another's: nothing was renewed (L2) */
    bool resign;      /* out: its holder is asked to give it up (L6) */
};

/* Renews count (1..RV_RENEW_MAX) grants, each by itself. */
int rv_store_grant_renew(struct rv_store *s, struct rv_grant_renewal *renewals, size_t count,
                         int64_t timeout_ms, struct rv_error *err);
/* The holder lets go of the grant, or of its place in line (L3). REEVE_EFENCED: it has neither. */
int rv_store_grant_release(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                           uint64_t holder, int64_t timeout_ms, struct rv_error *err);
/* Is token that of the grant that stands now (L4)? 0 or REEVE_EFENCED. */
int rv_store_grant_check(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                         uint64_t token, struct rv_error *err);
/* Asks whoever holds it to give it up (L6). REEVE_ENOENT: nobody does. */
int rv_store_grant_resign(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                          struct rv_error *err);

struct rv_grant_row {
    char name[REEVE_NAME_SIZE];
    char by[REEVE_ID_SIZE];
    uint64_t token, holder;
    int64_t since_ms, until_ms; /* wall; until: unless it is renewed */
    bool resign;                /* its holder is asked to give it up */
    size_t waiting;             /* in line for it */
};

struct rv_grants {
    struct rv_grant_row *rows; /* one array; free() */
    size_t count;
};

/* Up to limit grants of a kind that stand, by name in byte order, after `after` (NULL: from the
 * first). name not NULL: that one alone. */
struct rv_grants_query {
    enum rv_grant_kind kind;
    const char *name, *after;
    size_t limit; /* 1..RV_LIST_MAX */
};

int rv_store_grants(struct rv_store *s, const struct rv_grants_query *query, struct rv_grants *out,
                    struct rv_error *err);

/* ---- waiting ---- */
enum { RV_MUTE_ENDED = 1, RV_MUTE_CANCELLED = 2, RV_MUTE_EVENTS = 4 };

/* The end of a job that was pushed to be waited for (core/nonce.h), as the store tells it by
 * itself. */
struct rv_told {
    struct rv_list link;
    uint32_t number;       /* of the push */
    struct reeve_job *job; /* the record, owned; NULL: it is to be read */
};
void rv_told_release(struct rv_list *told);

/* Where such ends are told to one caller alone, who need not ask anybody to listen for him. */
struct rv_box {
    uint32_t address; /* the first half of the nonces to push with */
};
/* One for the caller: what is told there from now on is heard. Takes timeout_ms at most.
 * REEVE_ENOTSUP: the store has none. */
int rv_store_box_take(struct rv_store *s, int64_t timeout_ms, struct rv_box **out,
                      struct rv_error *err);
/* deaf: something happened that should have been told there and was not. NULL is fine. */
void rv_store_box_give(struct rv_store *s, struct rv_box *box, bool deaf);
/* Waits until something is told there, for timeout_ms at most, and adds it to told. If nothing was,
 * the time is over, or something may have been lost: a look tells. An error: nothing is heard for
 * the time being. */
int rv_store_box_attend(struct rv_store *s, struct rv_box *box, int64_t timeout_ms,
                        struct rv_list *told, struct rv_error *err);

struct rv_bell {
    const char *queue;
    enum rv_grant_kind grant; /* 0: a queue; else queue is the name of a grant of that kind (L7) */
    const struct rv_group *group; /* NULL: a queue or grant; else streams, and queue is its name */
    bool want_ready; /* in: ring when a job can be claimed, a delayed one come due included; when a
                      * stream waits */
    unsigned mute;   /* in: these need not ring, so that a store may spare itself to listen */
    bool ready;      /* out: so it is */
    /* in: as last seen here, 0 at first; ring when the store's differ; out: as seen now. */
    uint64_t ended;     /* grows when a job of this queue ends, or is taken out while it waits; when
                         * a grant, or a place in line for it, is let go; when a stream's owner is
                         * heard to have gone */
    uint64_t cancelled; /* grows when a RUNNING one is told to stop; when a holder is to resign, an
                         * owner to yield, or his stream was ended for him */
    uint64_t events;    /* grows when an event is written */

    /* Not NULL: the bell is of no queue, but of who waits at this address, and rings when ends of
     * his are told, which are added to the list. Most of them, that is: who waits looks for himself
     * now and then. For stores with RV_CAP_TELLS. */
    struct rv_list *told;
    uint32_t address;
};

/* Blocks until a bell rings, rv_store_wake() is called, or timeout_ms is over. Returns 0 in each
 * case: a hint, never proof; looks before it blocks, so that nothing is missed. Costs at most one
 * look a second while nothing happens. One caller at a time. */
int rv_store_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
                  struct rv_error *err);
void rv_store_wake(struct rv_store *s); /* makes a wait under way, or else the next one, return */

/* ---- events ---- */
struct rv_events {
    struct reeve_event *events; /* one block with its strings; free() */
    size_t count;               /* <= RV_EVENTS_MAX */
    uint64_t after;             /* to go on with */
};

/* The queue of no jobs that has the events of leaders: no name that people give has its first
 * byte. */
#define RV_NAMES "@names"

/* What is told of others than jobs. Of a worker: that it has started or stopped on a queue; id is
 * "". Of a leader, on RV_NAMES: that it has gained its name or lost it; id is that name. */
struct rv_announcement {
    enum reeve_event_type type;
    enum reeve_lost why; /* lost: the reason; else 0 */
    const char *id;
    const char *worker; /* who */
    uint64_t token;     /* of a leader: the term */
};

/* Writes it as an event if the queue is watched. */
int rv_store_announce(struct rv_store *s, const char *queue, const struct rv_announcement *news,
                      int64_t timeout_ms, struct rv_error *err);
/* Events of one queue, or of RV_NAMES, after *after*, oldest first; after = UINT64_MAX: none, only
 * where they stand now. Asking makes the queue write events for the next RV_WATCHED_MS; unwatched
 * queues write none. */
int rv_store_events(struct rv_store *s, const char *queue, uint64_t after, struct rv_events *out,
                    struct rv_error *err);

/* ---- fail-overs ---- where one server may take the place of another ---- */
#define RV_ADDRESS_SIZE 320

struct rv_failover {
    uint64_t number; /* of those that this handle has noticed, from 1 on; 0: there is none */
    char from[RV_ADDRESS_SIZE], to[RV_ADDRESS_SIZE]; /* host:port */
    int64_t at_ms;                                   /* wall: when it was noticed */
    int64_t took_ms; /* since the first was found not to answer; 0: that was not noticed */
};

/* The first after that number that is still remembered. Asks nobody, and so costs nothing. False:
 * this store never has any. */
bool rv_store_failover(struct rv_store *s, uint64_t after, struct rv_failover *out);

/* What a server that was followed by another has acknowledged and not passed on is lost. Of the
 * pushes that this handle made last, those that the other has never heard of are made again, by id
 * and nonce. *again_in_ms: when to look again though nothing was heard; -1: not before the next
 * push. */
int rv_store_mend(struct rv_store *s, int64_t *again_in_ms, struct rv_error *err);

/* ---- doctor ---- */
struct rv_finding {
    enum reeve_health health;
    char check[32];
    char text[512];
};

struct rv_findings {
    struct rv_finding *findings; /* one array; free() */
    size_t count;
};

/* What only the store itself can know: schema, integrity, orphans, file modes, settings. With
 * repair it mends what it can without losing a job. */
int rv_store_examine(struct rv_store *s, bool repair, struct rv_findings *out,
                     struct rv_error *err);

#endif
