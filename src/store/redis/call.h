/* Asking the server that keeps a queue, with all the patience that is safe. */
#ifndef RV_STORE_REDIS_CALL_H
#define RV_STORE_REDIS_CALL_H

#include "store/redis/conn.h"
#include "store/redis/redis.h"
#include "store/redis/shard.h"

/* Sends count (> 0) commands to where shard lives (NULL: what is the space's own) in one go, and
 * brings as many replies, in order, which the caller frees. What cannot have happened is asked
 * again until timeout_ms is over: no connection, or an error that says so (errors.h). Any other
 * error reply fails the call by the table of errors.h; only NOSCRIPT is handed on as a reply
 * (rv_rd_reply_is_noscript), for script.h to mend. REEVE_EUNREACHABLE and REEVE_EUNSURE as in
 * conn.h; after an error reply to one of several commands the others may have been obeyed. */
int rv_rd_call(struct rv_rd *store, const struct rv_rd_shard *shard,
               const struct rv_rd_command *commands, size_t count, int64_t timeout_ms,
               redisReply **replies, struct rv_error *err);

bool rv_rd_reply_is_noscript(const redisReply *reply);
/* Those that are not NULL; leaves NULL. */
void rv_rd_replies_free(redisReply **replies, size_t count);

#endif
