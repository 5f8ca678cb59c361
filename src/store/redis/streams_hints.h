/* Hints that a lock of the published layout has expired, from the servers' own notifications. A
 * server tells of its own keys alone, so each primary is listened to by a connection of its own,
 * set up by itself: one that fails is counted and tried again, and the others do not notice. Hints
 * only make recovery sooner: nothing hangs on them. */
#ifndef RV_STORE_REDIS_STREAMS_HINTS_H
#define RV_STORE_REDIS_STREAMS_HINTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_rd;
struct rv_rd_conn;
struct rv_rd_target;

enum { RV_RD_POSTS_MAX = 256 }; /* primaries; of more, the rest is not heard */

/* Where a primary is listened to. */
struct rv_rd_post {
    const struct rv_rd_target *target;
    struct rv_rd_conn *conn; /* NULL: it could not be set up, or was lost */
    int64_t tried_ms;        /* when last; boot, 0: never */
};

struct rv_rd_posts {
    struct rv_rd_post all[RV_RD_POSTS_MAX];
    size_t count;
    uint64_t lookups;              /* of the topology, as of which these are the primaries */
    bool known;                    /* there has been one */
    _Atomic uint64_t set_up_total; /* these are for others to read: */
    _Atomic uint64_t failed_total; /* of set-ups */
    _Atomic uint64_t heard_total;  /* of locks that expired */
};

void rv_rd_posts_close(struct rv_rd_posts *posts);
/* Sees that every primary is listened to, those that there are now. Flags are added to a server's
 * setting, never taken away; who may not do that listens all the same: somebody else may have set
 * them. */
void rv_rd_posts_listen(struct rv_rd_posts *posts, struct rv_rd *store);
/* Whether a lock has expired since the last call. */
bool rv_rd_posts_hear(struct rv_rd_posts *posts, struct rv_rd *store);

#endif
