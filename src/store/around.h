/* A store around another: the calls go through, and two hooks see each of them. What trace and
 * fault are made of; no store knows that they exist. */
#ifndef RV_STORE_AROUND_H
#define RV_STORE_AROUND_H

#include "store/ops.h"

enum rv_op {
    RV_OP_PUSH = 1,
    RV_OP_EXCHANGE,
    RV_OP_RENEW,
    RV_OP_LAPSED,
    RV_OP_TEND,
    RV_OP_READ,
    RV_OP_CANCEL,
    RV_OP_REVIVE,
    RV_OP_REMOVE,
    RV_OP_KEEP,
    RV_OP_CHECK,
    RV_OP_NOTE,
    RV_OP_PURGE,
    RV_OP_LIST,
    RV_OP_QUEUES,
    RV_OP_STATS,
    RV_OP_PAUSE,
    RV_OP_SET,
    RV_OP_BEAT,
    RV_OP_LEAVE,
    RV_OP_WORKERS,
    RV_OP_GRANT_TAKE,
    RV_OP_GRANT_RENEW,
    RV_OP_GRANT_RELEASE,
    RV_OP_GRANT_CHECK,
    RV_OP_GRANT_RESIGN,
    RV_OP_GRANTS,
    RV_OP_STREAM_OFFER,
    RV_OP_STREAM_TAKE,
    RV_OP_STREAM_RENEW,
    RV_OP_STREAM_END,
    RV_OP_STREAM_YIELD,
    RV_OP_STREAM_RECALL,
    RV_OP_STREAM_RECOVER,
    RV_OP_STREAM_CLAIM,
    RV_OP_STREAM_LIST,
    RV_OP_STREAM_READ,
    RV_OP_STREAM_GROUPS,
    RV_OP_STREAM_STATS,
    RV_OP_STREAM_LETTERS,
    RV_OP_STREAM_REVIVE,
    RV_OP_STREAM_PURGE,
    RV_OP_STREAM_BEAT,
    RV_OP_STREAM_MEMBERS,
    RV_OP_STREAM_RESET,
    RV_OP_WAIT,
    RV_OP_BOX_TAKE,
    RV_OP_BOX_ATTEND,
    RV_OP_ANNOUNCE,
    RV_OP_EVENTS,
    RV_OP_MEND,
    RV_OP_EXAMINE,
    RV_OP_COUNT,
};

const char *rv_op_name(enum rv_op op); /* "push" ... */

/* One call, as the hooks see it. */
struct rv_call {
    enum rv_op op;
    const char *queue; /* or the name of a grant or group; NULL: of none in particular */
    size_t given;      /* jobs, outcomes, claims, bells that went in */
    size_t got;        /* jobs, claims, names, events, grants that came out */
    bool again;        /* an exchange: asks what an earlier one left in doubt */
    int64_t began_us;  /* of a clock that only goes forward */
    int planned;       /* from before() to after(): what the hooks agreed on, 0 if nothing */
};

struct rv_around {
    struct rv_store base; /* its table is ops, below: what the inner store can do differs */
    struct rv_store_ops ops;
    struct rv_store *inner; /* owned */
    /* Nonzero: the call is not made, this is its answer. */
    int (*before)(struct rv_around *around, struct rv_call *call, struct rv_error *err);
    /* rc is what the call came to (or before() said); what this returns is told instead. */
    int (*after)(struct rv_around *around, const struct rv_call *call, int rc,
                 struct rv_error *err);
};

/* Fills all of *around; its hooks do nothing. Closing it closes inner, then frees around, which is
 * the head of one block from malloc(). */
void rv_around_init(struct rv_around *around, struct rv_store *inner);
int64_t rv_around_now_us(void);

/* For the parts of it: what stands before and behind each call that is passed on. */
struct rv_around *rv_around_of(struct rv_store *s);
int rv_around_begin(struct rv_around *around, struct rv_call *call, struct rv_error *err);
int rv_around_end(struct rv_around *around, const struct rv_call *call, int rc,
                  struct rv_error *err);
extern const struct rv_stream_ops rv_around_streams;

#endif
