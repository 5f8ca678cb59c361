/* Whether a server is fit to keep jobs: looked at when a store is opened. */
#ifndef RV_STORE_REDIS_FITNESS_H
#define RV_STORE_REDIS_FITNESS_H

#include <hiredis/hiredis.h>

#include "store/redis/redis.h"

/* Of the keys, see docs/redis.md. The version key of a space holds "LAYOUT OLDEST": the layout of
 * the newest library that wrote there, and that of the oldest which may still do so. */
enum { RV_RD_LAYOUT = 1 };

/* Meets the server, once and at once: is it new enough (REEVE_ENOTSUP), may it throw jobs away
 * (REEVE_ENOTSUP, unless the url allows it), is the layout one we know (REEVE_ESCHEMA), and how far
 * is its clock ahead? Else as rv_rd_conn_open(). */
int rv_rd_fitness_check(struct rv_rd *store, struct rv_error *err);

/* The value of the version key; false if it is none. */
bool rv_rd_layout_parse(const char *text, long *layout, long *oldest);

/* Takes the answer to TIME, asked when our wall clock showed asked_at_ms. */
void rv_rd_note_time(struct rv_rd *store, const redisReply *reply, int64_t asked_at_ms);

/* Does INFO tell that the server throws our keys away when it is full? policy: what it does. */
bool rv_rd_info_evicts(const char *info, char *policy, size_t size);

/* Takes an answer to INFO memory in the course of work: whoever was fit when the store was opened
 * may have been set otherwise since. Warns, once each time. */
void rv_rd_fitness_note(struct rv_rd *store, const redisReply *info);

/* The value of "\nNAME:VALUE\r\n" in what INFO tells, or "" in out. */
void rv_rd_info_value(const char *info, const char *name, char *out, size_t size);

#endif
