/* The contract of streams, for those who implement a store; a part of ops.h. A store without
 * RV_CAP_STREAMS has no table of these.
 *
 * S1  A stream is known by its name alone, within its group: it waits or is owned, and is
 *     there once. Offered while it is there, it is known and nothing changes (the first info
 *     stands). It has at most one owner. Where strangers can put an entry in twice (compat), the
 *     second is acknowledged and dropped when it is met, counted in duplicates_total.
 * S2  Taking delivery and taking ownership are one step, for what is wanted now and no more:
 *     first come, first taken. The token is J4's, of the group, so it grows for every name in it:
 *     also over ends, lapses and restarts. The holder is drawn per take.
 * S3  Ending counts only under the current token and holder of an ownership that nobody has
 *     recovered (as jobs, J8: a lapse that none has seen yet does not undo finished work). What is
 *     ended is gone: acknowledged, deleted, then released.
 * S4  Recovering: only an ownership whose lease is over, and which was neither taken nor
 *     renewed for min_idle_ms, moves; deciding and moving are one step, so no crash loses a stream
 *     and no two scanners add it twice. An owner who lives is never robbed, however slow. One
 *     entry that cannot be moved does not hold up the others. The cursor advances.
 * S5  A renewal counts only under the token and holder of an ownership that stands: one that
 *     has lapsed is lost, whether or not somebody else has it (as L2). It never brings one back.
 * S6  Each time a stream comes back by a lapse or a fault its retries grow by one. Past
 *     max_retries it becomes a dead letter instead (reason "max_retries_exceeded" by lapse, else
 *     the owner's). Yielding of one's own will counts nothing.
 * S7  A dead letter keeps name, info, retries, reason, last owner and time. What cannot be
 *     read becomes one too, reason "unparseable", its bytes as info and its name "": the group
 *     goes on. Beyond dead_max the oldest go (at most RV_TEND_MAX in one step), counted in
 *     trimmed_total. A letter does not make its stream be there (S1).
 * S8  Asking an owner to yield takes nothing from him: his next renewals tell him. It is
 *     forgotten with the ownership.
 * S9  Members are rows with an expiry, for people and for sharing out; no ownership hangs on
 *     them.
 * Bells of a group: `ready` when a stream waits; `cancelled` grows when an owner is asked to
 *     yield, or loses a stream by somebody's hand; `ended` when a lapse is heard of (hints). A
 *     lapse as such does not ring: next_in_ms tells when to look.
 * Counters: see struct reeve_group; each is written by the step that it counts. fenced_total
 *     counts refused ends and yields, not renewals. */
#ifndef RV_STORE_STREAM_OPS_H
#define RV_STORE_STREAM_OPS_H

#include "store/streams.h"

struct rv_stream_ops {
    int (*offer)(struct rv_store *s, const struct rv_group *group, const char *name,
                 const void *info, size_t info_size, bool *known, struct rv_error *err);
    int (*take)(struct rv_store *s, const struct rv_group *group, const struct rv_stream_ask *ask,
                struct rv_streams *out, struct rv_error *err);
    int (*renew)(struct rv_store *s, const struct rv_group *group,
                 struct rv_stream_renewal *renewals, size_t count, int64_t timeout_ms,
                 struct rv_error *err);
    int (*end)(struct rv_store *s, const struct rv_group *group, const struct rv_stream_ref *ref,
               int64_t timeout_ms, struct rv_error *err);
    int (*yield)(struct rv_store *s, const struct rv_group *group, const struct rv_stream_ref *ref,
                 const struct rv_stream_fault *fault, int64_t timeout_ms, bool *dead,
                 struct rv_error *err);
    int (*recall)(struct rv_store *s, const struct rv_group *group, const char *name,
                  struct rv_error *err);
    int (*recover)(struct rv_store *s, const struct rv_group *group,
                   const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                   struct rv_error *err);
    int (*claim)(struct rv_store *s, const struct rv_group *group, const char *name,
                 struct rv_error *err);
    int (*list)(struct rv_store *s, const struct rv_group *group,
                const struct rv_stream_query *query, struct rv_streams *out, struct rv_error *err);
    int (*read)(struct rv_store *s, const struct rv_group *group, const char *name,
                struct reeve_stream **out, struct rv_error *err);
    int (*groups)(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                  struct rv_error *err);
    int (*stats)(struct rv_store *s, const struct rv_group *group, struct reeve_group *out,
                 struct rv_error *err);
    int (*letters)(struct rv_store *s, const struct rv_group *group, const char *after,
                   size_t limit, struct rv_letters *out, struct rv_error *err);
    int (*revive)(struct rv_store *s, const struct rv_group *group, const char *letter,
                  struct rv_error *err);
    int (*purge)(struct rv_store *s, const struct rv_group *group, const char *const *letters,
                 size_t count, size_t *removed, struct rv_error *err);
    int (*beat)(struct rv_store *s, const struct rv_group *group,
                const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err);
    int (*members)(struct rv_store *s, const struct rv_group *group, struct rv_members *out,
                   struct rv_error *err);
    int (*reset)(struct rv_store *s, struct rv_error *err);
    struct rv_stream_hearing (*hearing)(struct rv_store *s); /* NULL: it hears no hints */
};

#endif
