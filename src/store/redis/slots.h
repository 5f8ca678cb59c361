/* Which slot of a cluster a key lies in, and what its nodes tell of who keeps which: pure, and
 * whatever stands in an answer is checked. */
#ifndef RV_STORE_REDIS_SLOTS_H
#define RV_STORE_REDIS_SLOTS_H

#include <stdbool.h>
#include <stddef.h>

#include <hiredis/hiredis.h>

enum { RV_RD_SLOTS = 16384, RV_RD_HOST_SIZE = 256, RV_RD_PORT_SIZE = 8 };

/* Of what stands between the braces of a key. */
unsigned rv_rd_slot_of(const char *tag, size_t size);

/* Where a node is. */
struct rv_rd_address {
    char host[RV_RD_HOST_SIZE]; /* "": where the one that told it is */
    char port[RV_RD_PORT_SIZE];
};

/* "MOVED SLOT HOST:PORT" or "ASK SLOT HOST:PORT"; false if text is neither. */
bool rv_rd_redirect_parse(const char *text, unsigned *slot, struct rv_rd_address *to);
bool rv_rd_is_asking(const char *text); /* the latter */

/* A run of slots, as the answer to CLUSTER SLOTS has it. */
struct rv_rd_range {
    unsigned first, last;
    struct rv_rd_address primary;
    size_t replicas;
};

/* The i-th of an array; false if it is none of a known node. */
bool rv_rd_range_parse(const redisReply *answer, size_t i, struct rv_rd_range *out);
/* The address of its j-th replica. */
bool rv_rd_range_replica(const redisReply *answer, size_t i, size_t j, struct rv_rd_address *out);

#endif
