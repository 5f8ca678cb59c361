/* A queue that a worker serves: what is to be handed in to it, and when to ask it for more. The
 * exchanger's thread owns all of it but the list of finished tasks. */
#ifndef RV_WORK_SERVED_H
#define RV_WORK_SERVED_H

#include "service/keeper.h"
#include "work/arrears.h"
#include "work/request.h"

struct rv_served {
    const char *queue;
    struct rv_interest ready;
    struct rv_kept kept;
    struct rv_request request;
    bool unsettled;        /* request was sent, and what became of it is not known */
    bool stands_by;        /* request does: a job may be claimed for it at any moment */
    bool under_way;        /* it is being sent, with those of other queues */
    bool asked;            /* for jobs, in this round */
    uint64_t lane, number; /* J7 */
    struct rv_arrears arrears;

    bool hungry;         /* there may be ready jobs */
    bool listening;      /* the listener will tell of some, once */
    int64_t look_at_ms;  /* when there may be in any case; all times are CLOCK_BOOTTIME */
    int64_t claim_at_ms; /* not before: jobs are being handed back */
    int64_t handed_back_ms;

    int failures; /* of the store, in a row */
    int64_t retry_at_ms;

    pthread_mutex_t lock; /* guards finished */
    struct rv_list finished;
};

int rv_served_init(struct rv_served *served, const char *queue); /* 0 or REEVE_ENOMEM */
void rv_served_release(struct rv_served *served);

/* Tasks that have ended, in the order in which they came. */
void rv_served_add(struct rv_served *served, struct reeve_task *task);
void rv_served_put_back(struct rv_served *served, struct reeve_task *task); /* as the first */
struct reeve_task *rv_served_take(struct rv_served *served);                /* NULL: none */
size_t rv_served_count(struct rv_served *served, size_t max);               /* counts up to max */
/* How many of the first max are to be handed in next. The last of them, if others of their claim
 * still run, are left for the time after that: a claim that is handed in whole costs a store much
 * less than one in pieces. Those that were left are the first then, and are not left again. */
size_t rv_served_batch(struct rv_served *served, size_t max);
/* What became of its request is not known: it is repeated as it stands, beside those to come, which
 * go by a lane of their own. False: so much is owed already that nothing else may be sent. */
bool rv_served_set_aside(struct rv_served *served);
/* Nothing else is sent to it before what was set aside is answered: it does not answer at all. */
bool rv_served_is_held_up(const struct rv_served *served);
bool rv_served_recall(struct rv_served *served);  /* those in arrears that were not sent, if any */
void rv_served_reclaim(struct rv_served *served); /* and those that were: that is given up */

/* The store answered, or did not: backs off up to backoff_ms_max, with full jitter. */
void rv_served_answered(struct rv_served *served);
void rv_served_failed(struct rv_served *served, int64_t now_ms, int64_t backoff_ms_max);
void rv_served_hurry(struct rv_served *served); /* whatever was put off is due now */

/* A handler handed a job back: it would be the next to be claimed. Claiming pauses for a moment,
 * for longer while that goes on. */
void rv_served_note_ending(struct rv_served *served, enum rv_ending ending, int64_t now_ms);

/* It was told that there are ready jobs. */
void rv_served_heard(struct rv_served *served);

/* No job waits or runs. Not known: false. */
bool rv_served_is_empty(const struct rv_served *served, struct rv_store *store);

/* What a claim left: whether to ask again, and when. */
void rv_served_note_claim(struct rv_served *served, const struct rv_exchanged *exchanged,
                          int64_t now_ms);

#endif
