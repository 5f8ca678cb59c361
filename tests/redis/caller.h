/* One who pushes to the queue of queue.h and waits, by a thread of his own; who serves him; and
 * what he may be told (lua/ends.lua). */
#ifndef REDIS_CALLER_H
#define REDIS_CALLER_H

#include <pthread.h>

#include <reeve.h>

#include "base/buf.h"
#include "redis/queue.h"

struct caller {
    reeve *r;
    char id[16];
    int64_t timeout_ms;
    pthread_t thread;
    struct reeve_pushed out;
    struct reeve_job *job;
    int rc;
};

reeve *open_handle(struct line *line);
void caller_begin(struct caller *c, reeve *r, const char *id);
void caller_begin_within(struct caller *c, reeve *r, const char *id, int64_t timeout_ms);
void caller_join(struct caller *c);
void caller_end(struct caller *c); /* and it was done */

void await_known(struct rv_store *store, const char *id);
struct held_claim claim_next(struct rv_store *store); /* whatever comes first */
void serve(struct line *line, struct rv_store *store, const char *id);
void call_once(struct line *line, struct rv_store *store, reeve *r, const char *id);

/* ---- messages ---- */
int64_t publish(struct line *line, uint32_t address, const void *text, size_t size); /* who hear */
void begin_message(struct rv_buf *buf, const char *queue);
void add_end(struct rv_buf *buf, uint32_t number, const char *id, const void *record,
             uint32_t size);
redisReply *record_of(struct line *line, const char *id);
/* To one who waits for "mine" by that address and number: pieces of a message, the end of another
 * job, whose record that is, and records that are none. */
void plant(struct line *line, uint32_t address, uint32_t number, const redisReply *other);

#endif
