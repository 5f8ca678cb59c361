/* The part of wait that is about ends of jobs whose end somebody waits for: a channel of the space
 * for each who does (lua/ends.lua). */
#ifndef RV_STORE_REDIS_END_BELLS_H
#define RV_STORE_REDIS_END_BELLS_H

#include "store/redis/channels.h"
#include "store/redis/redis.h"

struct rv_rd_end_bells {
    struct rv_bell *bells; /* all of them told */
    size_t count;
};

int rv_rd_end_bells_want(struct rv_rd *store, const struct rv_rd_end_bells *bells,
                         struct rv_error *err);
/* Adds what a message tells to told; false: nothing that can be read. */
bool rv_rd_ends_read(struct rv_bytes text, struct rv_list *told);
/* Adds what is told to the bell that it is for. What cannot be read is passed over: who waits will
 * look for himself. */
void rv_rd_end_bells_hear(const struct rv_rd *store, const struct rv_rd_end_bells *bells,
                          const struct rv_rd_message *message, bool *rings);

#endif
