/* Asking the servers that keep shards, with all the patience that is safe. */
#ifndef RV_STORE_REDIS_CALL_H
#define RV_STORE_REDIS_CALL_H

#include "store/redis/conn.h"
#include "store/redis/redis.h"
#include "store/redis/shard.h"

enum { RV_RD_CHAIN_MAX = 3 };

/* Some commands for one place, and what became of them. */
struct rv_rd_ask {
    const struct rv_rd_shard *shard; /* the place; NULL: what is the space's own */
    const struct rv_rd_target *node; /* or this very server; NULL: wherever shard lives */
    const struct rv_rd_command *commands;
    size_t count;         /* > 0 */
    redisReply **replies; /* count of them, which the caller frees; all NULL on failure */
    bool harmless;        /* it changes nothing: an answer that is lost is asked for again */
    bool once;            /* not again if there is no connection */
    /* In a cluster, for what others should not wait for: it is given a moment from when the latest
     * of the other asks was answered, or from the beginning, whatever the time-out; none if there
     * is no connection. */
    bool brief;
    bool spare; /* likewise: REEVE_EUNREACHABLE at once where a server stands still (target.h) */
    /* One connection gets all commands, always: what one of them is put off for, all are asked
     * again for. RV_RD_CHAIN_MAX at most. REEVE_EUNSURE whatever goes wrong once the first was
     * obeyed. */
    bool chained;
    struct rv_rd_conn *beside; /* listened to first (conn.h); NULL: none is */
    int passed_over;           /* with that */
    bool obeyed;               /* out, of a chain: its first command was, once at least */
    int rc;
    struct rv_error err;
};

/* Sends the commands of each ask to its place in one go, all at once, and brings as many replies,
 * in order. What cannot have happened is asked again until timeout_ms is over: no connection, an
 * error that says so (errors.h), another server's to answer. Any other error reply fails the ask by
 * the table of errors.h; only NOSCRIPT is handed on as a reply (rv_rd_reply_is_noscript), for
 * script.h to mend. REEVE_EUNREACHABLE and REEVE_EUNSURE as in conn.h; after an error reply to one
 * of several commands the others may have been obeyed. Asks have nothing to do with each other. */
void rv_rd_call_many(struct rv_rd *store, struct rv_rd_ask *asks, size_t count, int64_t timeout_ms);

/* One ask. */
int rv_rd_call(struct rv_rd *store, const struct rv_rd_shard *shard,
               const struct rv_rd_command *commands, size_t count, int64_t timeout_ms,
               redisReply **replies, struct rv_error *err);

/* Where shard lives, as far as is known (topology.h). */
int rv_rd_find(struct rv_rd *store, const struct rv_rd_shard *shard, int64_t deadline_ms,
               const struct rv_rd_target **out, struct rv_error *err);
/* A connection of the caller's own to where shard lives (NULL: what is the space's own). */
int rv_rd_connect(struct rv_rd *store, const struct rv_rd_shard *shard, int64_t deadline_ms,
                  struct rv_rd_conn **out, struct rv_error *err);

bool rv_rd_reply_is_noscript(const redisReply *reply);
/* Those that are not NULL; leaves NULL. */
void rv_rd_replies_free(redisReply **replies, size_t count);

#endif
