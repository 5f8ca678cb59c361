/* Scripts: each operation is one (lua/), known to the server by its hash. */
#ifndef RV_STORE_REDIS_SCRIPT_H
#define RV_STORE_REDIS_SCRIPT_H

#include "rv_redis_lua.h"
#include "store/redis/call.h"
#include "store/redis/key.h"

/* The arguments of a script, in their order. What goes wrong while they are gathered is told when
 * it is run. */
struct rv_rd_args {
    const char **words; /* the first RV_RD_ARGS_HEAD are left free for what stands before them */
    size_t *sizes;
    size_t count, room; /* with those */
    struct rv_buf bytes;
    int error;
};

enum { RV_RD_ARGS_HEAD = 3 + RV_RD_KEYS_MAX + 2 };

/* bytes_max: of what is packed. */
void rv_rd_args_init(struct rv_rd_args *args, size_t bytes_max);
void rv_rd_args_release(struct rv_rd_args *args);
void rv_rd_args_add(struct rv_rd_args *args, const void *data, size_t size); /* borrowed */
void rv_rd_args_add_text(struct rv_rd_args *args, const char *text);         /* borrowed */
void rv_rd_args_add_number(struct rv_rd_args *args, int64_t number);
/* Makes an argument of what was appended to args->bytes since it was from bytes long. */
void rv_rd_args_add_packed(struct rv_rd_args *args, size_t from);
/* All arguments are there, and so are the packed ones, one after the other. Tells what went
 * wrong. */
int rv_rd_args_settle(struct rv_rd_args *args);
/* What is sent of them, once they are settled, behind count (<= RV_RD_ARGS_HEAD) other words. */
void rv_rd_args_command(struct rv_rd_args *args, const struct rv_bytes *head, size_t count,
                        struct rv_rd_command *out);

/* Told by scripts and never outside the store: the shard is not, or not yet, of that epoch. */
enum { RV_RD_STALE = 1 };

struct rv_rd_script {
    enum rv_redis_lua which;
    struct rv_rd_shard shard;
    unsigned needs; /* keys: a bit for the list of each level, RV_RD_ALL for all named ones,
                       RV_RD_SPREAD for the hashes of records, RV_RD_SETS for those beside them */
    size_t few;     /* named keys that it is content with if nothing is special; 0: it needs all */
    struct rv_rd_args *args;
    int64_t timeout_ms;
    bool once;                 /* not again if there is no connection */
    bool brief, spare;         /* as in call.h */
    struct rv_rd_conn *beside; /* likewise */
    int passed_over;           /* likewise */
    /* As many replicas as the url says are to have what it wrote: else REEVE_EUNSURE. */
    bool awaits_replicas;
    /* Out, of rv_rd_scripts_run(): */
    int rc;
    redisReply *reply; /* the caller's to free; NULL if it failed */
    struct rv_error err;
};

/* Runs it; sends its text if the server does not know it, and more keys if it asks for them. *out
 * is the caller's to free: never an error, never a status. */
int rv_rd_script_run(struct rv_rd *store, const struct rv_rd_script *script, redisReply **out,
                     struct rv_error *err);

/* Runs several, each at its shard, for itself, all at once. also: is asked ahead of them in the
 * same go (and only if there are any); NULL: nothing is. */
void rv_rd_scripts_run(struct rv_rd *store, struct rv_rd_script *const *scripts, size_t count,
                       struct rv_rd_ask *also);

/* ---- answers ---- */
/* Is reply an array of count elements? */
bool rv_rd_is_array(const redisReply *reply, size_t count);
/* The bytes of a string; none of anything else. */
struct rv_bytes rv_rd_bytes(const redisReply *reply);
/* REEVE_ECORRUPT: an answer that none of our scripts gives. */
int rv_rd_fail_answer(const char *queue, struct rv_error *err);

#endif
