/* Validation of every name, id, size and option, in one place. Each error names the value and what
 * was expected. Checked values carry all defaults, so nothing below asks for them again. */
#ifndef RV_CORE_CHECK_H
#define RV_CORE_CHECK_H

#include <reeve.h>

#include "base/bytes.h"
#include "base/error.h"

/* Names of queues, kinds, spaces: 1..128 of A-Z a-z 0-9 . _ - :   what says which, for the message.
 */
int rv_check_name(const char *what, const char *name, struct rv_error *err);
/* Ids: 1..255 bytes of text without control bytes (J10). */
int rv_check_id(const char *id, struct rv_error *err);
/* Names of streams: likewise. */
int rv_check_stream(const char *name, struct rv_error *err);
int rv_check_stream_info(size_t size, struct rv_error *err);
/* Cursors of lists, as a store makes them: A-Z a-z 0-9 _ -, with their NUL in room bytes. */
int rv_check_cursor(const char *cursor, size_t room, struct rv_error *err);
/* The leading size field of a public struct that callers fill. */
int rv_check_size(const char *what, size_t size, size_t least, struct rv_error *err);

struct rv_policy {
    int attempts_max;
    enum reeve_backoff backoff;
    int64_t backoff_ms, backoff_ms_max; /* 0: at once */
    int64_t timeout_ms;                 /* 0: the worker's */
    int64_t keep_ms;                    /* 0: nothing is kept */
};

/* A job to be pushed: checked, complete. Borrows from the struct reeve_push it was made of. */
struct rv_box;
struct rv_new_job {
    const char *queue, *kind;
    const char *id; /* NULL: the caller has one generated before it goes to the store */
    uint64_t nonce; /* nonce.h: a repeat carries the same (J7). 0: to be drawn by the caller */
    struct rv_bytes body;
    int priority;
    int64_t delay_ms; /* from the store's now, if run_at_ms is 0 */
    int64_t run_at_ms;
    struct rv_policy policy;
    /* Where its end is told (store.h): a store may have who pushes it alone listen there before it
     * looks for its own answer. NULL: nobody sleeps there. */
    struct rv_box *box;
};

int rv_check_push(const struct reeve_push *push, struct rv_new_job *out, struct rv_error *err);

/* Copies the known part of *options (NULL: all defaults) into *out, checked and with defaults.
 * Strings that default to something of the process (name) stay NULL. */
int rv_check_options(const struct reeve_options *options, struct reeve_options *out,
                     struct rv_error *err);
int rv_check_worker_options(const struct reeve_worker_options *options,
                            struct reeve_worker_options *out, struct rv_error *err);
int rv_check_leader_options(const struct reeve_leader_options *options,
                            struct reeve_leader_options *out, struct rv_error *err);
/* wait_ms: 0 not at all, -1 for ever. */
int rv_check_lock_options(const struct reeve_lock_options *options, struct reeve_lock_options *out,
                          struct rv_error *err);
/* Names of locks: 1..RV_LOCKS_MAX, each once. */
int rv_check_lock_names(const char *const *names, struct rv_error *err);
int rv_check_program_options(const struct reeve_program_options *options,
                             struct reeve_program_options *out, struct rv_error *err);
int rv_check_group(const char *group, unsigned flags, struct rv_error *err);
int rv_check_offer(const struct reeve_offer *offer, struct reeve_offer *out, struct rv_error *err);
/* max_retries and dead_max: REEVE_NONE stays. */
int rv_check_member_options(const struct reeve_member_options *options,
                            struct reeve_member_options *out, struct rv_error *err);
int rv_check_tender_options(const struct reeve_tender_options *options,
                            struct reeve_tender_options *out, struct rv_error *err);
int rv_check_limits(const struct reeve_limits *limits, struct reeve_limits *out,
                    struct rv_error *err);
int rv_check_filter(const struct reeve_filter *filter, struct reeve_filter *out,
                    struct rv_error *err);
int rv_check_queue_settings(const struct reeve_queue_settings *settings,
                            struct reeve_queue_settings *out, struct rv_error *err);
int rv_check_lease(int64_t lease_ms, struct rv_error *err);
int rv_check_keep(int64_t keep_ms, int64_t *out,
                  struct rv_error *err); /* REEVE_NONE becomes 0, 0 the default */

/* design.md 6: how long before its end a lease counts as in doubt. */
int64_t rv_lease_margin_ms(int64_t lease_ms);
/* The time-out of a call that bears a lease: min(request time-out, lease / 6), at least 20 ms. */
int64_t rv_lease_call_ms(int64_t timeout_ms, int64_t lease_ms);

#endif
