/* Streams and dead letters as scripts tell of them: lua/group.lua, lua/stream_letters.lua. */
#ifndef RV_STORE_REDIS_STREAMS_SHOW_H
#define RV_STORE_REDIS_STREAMS_SHOW_H

#include "store/redis/streams_call.h"

/* Each as a block of its own. REEVE_ECORRUPT if the answer cannot be read. */
int rv_rd_stream_show(const struct rv_group *group, const redisReply *row,
                      struct reeve_stream **out, struct rv_error *err);
/* All of an array. *out is the caller's to free with what it holds, also after a failure: from
 * where that was it is NULL. */
int rv_rd_streams_show(const struct rv_group *group, const redisReply *rows,
                       struct reeve_stream ***out, size_t *count, struct rv_error *err);
int rv_rd_letters_show(const struct rv_group *group, const redisReply *rows, struct rv_letters *out,
                       struct rv_error *err);
/* What to go on with. */
int rv_rd_stream_cursor(const struct rv_group *group, const redisReply *reply,
                        char cursor[RV_STREAM_CURSOR_SIZE], struct rv_error *err);

#endif
