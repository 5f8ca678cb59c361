/* An exchange with one shard of a queue: hand in, promote, claim, in one step. */
#ifndef RV_STORE_REDIS_SWAP_H
#define RV_STORE_REDIS_SWAP_H

#include "store/redis/script.h"

enum { RV_RD_SWAP_HEAD_ALONE = sizeof "$20\r\n" - 1 + 20 + 2 }; /* bytes of the least answer */

/* Bytes that are packed for so many outcomes, at most: for rv_rd_args_init(). */
size_t rv_rd_swap_bytes(size_t outcome_count);
/* It ends a job and puts none in line: it does not matter which of several such goes first. */
bool rv_rd_swap_is_plain(const struct rv_outcome *outcome);
/* An order in which those under one lease stand together: < 0 if a goes before b, 0 if they are. */
int rv_rd_swap_order(const struct rv_outcome *a, const struct rv_outcome *b);
/* Sets what the script is asked, and which keys it needs. */
void rv_rd_swap_prepare(struct rv_rd_script *script, const struct rv_exchange *exchange);
/* The answer: statuses of the outcomes, and what was claimed. */
int rv_rd_swap_read(const redisReply *reply, struct rv_exchange *exchange, struct rv_exchanged *out,
                    struct rv_error *err);
/* What was claimed for one that stands by, as a message tells it (lua/give.lua), from behind its
 * holder on. */
int rv_rd_swap_read_given(struct rv_reader *reader, const char *queue, struct rv_exchanged *out,
                          struct rv_error *err);
/* A later request of its lane was answered (J7): REEVE_ESTATE. */
int rv_rd_swap_fail_late(const char *queue, struct rv_error *err);

#endif
