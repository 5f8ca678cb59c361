/* Asking the server that keeps a group of streams. Its keys, of which key.h makes the names:
 *
 *   PREFIX:{SPACE/~GROUP#0}:NAME   no queue's name has a '~'
 *   PREFIX:{GROUP-input}:NAME      of a compat group: beside GROUP-input and GROUP-input-dlq, whose
 *                                  names are published, in no space
 */
#ifndef RV_STORE_REDIS_STREAMS_CALL_H
#define RV_STORE_REDIS_STREAMS_CALL_H

#include "store/redis/script.h"

enum {
    RV_RD_STREAM_KEYS = 8,
    RV_RD_PLACE_SIZE = REEVE_NAME_SIZE + 16, /* a mark before it, "-input-dlq" behind it */
};

/* Own keys; or those that are published and those beside them; or, where these lie on several
 * servers, what of them lies with the group: streams_split.h has the rest. lua/group.lua. */
enum rv_rd_layout { RV_RD_OWN, RV_RD_PUBLISHED, RV_RD_SPLIT };
enum rv_rd_layout rv_rd_stream_layout(const struct rv_rd *store, const struct rv_group *group);

/* Where a group lies, as a shard: see key.h. name is written to. */
struct rv_rd_shard rv_rd_stream_place(const struct rv_group *group, char name[RV_RD_PLACE_SIZE]);
/* The i-th of its keys, to out, RV_RD_KEY_SIZE bytes, and its type as the server calls it. The
 * first is also the name of its channel. */
const char *rv_rd_stream_key(const struct rv_rd *store, const struct rv_group *group, size_t i,
                             char *out);

/* A script, and its arguments. */
struct rv_rd_stream_call {
    struct rv_rd *store;
    const struct rv_group *group;
    enum rv_redis_lua which;
    int64_t timeout_ms;
    bool of_letters; /* it only looks at dead letters, and goes to where those are */
    bool brief;      /* there is more to do than wait for it: brief and spare of call.h */
    bool tells;      /* it tells what is to be done about locks (lua/entries.lua): that is done */
    struct rv_rd_args args;
};

/* bytes_max: of arguments that are packed. */
void rv_rd_stream_call_init(struct rv_rd_stream_call *call, struct rv_store *s,
                            const struct rv_group *group, enum rv_redis_lua which,
                            size_t bytes_max);
/* Runs it, and lets go of its arguments. *out is the caller's to free: never an error, never a
 * status. */
int rv_rd_stream_run(struct rv_rd_stream_call *call, redisReply **out, struct rv_error *err);
/* The same of a script that answers with a number. */
int rv_rd_stream_ask(struct rv_rd_stream_call *call, int *answer, struct rv_error *err);

/* REEVE_ECORRUPT: an answer that none of our scripts gives. */
int rv_rd_stream_fail_answer(const struct rv_group *group, struct rv_error *err);
int rv_rd_stream_fail_absent(const struct rv_group *group, const char *name, struct rv_error *err);

#endif
