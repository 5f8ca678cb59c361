/* A connection that is subscribed to one channel, whose address nobody else has: what is told there
 * is for the one who sleeps on it, and wakes nobody else. He need not ask anybody to listen for
 * him. */
#ifndef RV_STORE_REDIS_BOX_H
#define RV_STORE_REDIS_BOX_H

#include <pthread.h>
#include <stdatomic.h>

#include "store/redis/channels.h"
#include "store/store.h"

struct rv_rd_box {
    struct rv_box base;      /* what its channel is named by */
    uint64_t lane;           /* or whose it is, and nobody else's; else 0 */
    struct rv_rd_box *next;  /* while idle */
    struct rv_rd_conn *conn; /* NULL: it could not be mended yet */
    bool fed;                /* what was waited for last came by it */
};

/* Those of one kind. */
struct rv_rd_boxes {
    const char *kind;       /* what the names of their channels begin with, before the address */
    pthread_mutex_t lock;   /* guards the rest */
    struct rv_rd_box *idle; /* the one given back last comes first */
    atomic_bool refused; /* the user may not listen to such channels: none was, or will be, had */
};

int rv_rd_boxes_init(struct rv_rd_boxes *boxes, const char *kind, struct rv_error *err);
void rv_rd_boxes_release(struct rv_rd_boxes *boxes); /* none may be out */

/* One to where the space is kept, for the caller alone: what is told at its channel from now on is
 * heard. Who is refused once is not asked again: that would cost a connection each time. */
int rv_rd_boxes_take(struct rv_rd_boxes *boxes, struct rv_rd *store, int64_t deadline_ms,
                     struct rv_rd_box **out, struct rv_error *err);
/* The one of that lane, or NULL in *out: then it is to be opened, and listens to that channel, or
 * (NULL) to one that is named by its address. */
int rv_rd_boxes_take_of(struct rv_rd_boxes *boxes, struct rv_rd *store, uint64_t lane,
                        int64_t deadline_ms, struct rv_rd_box **out, struct rv_error *err);
int rv_rd_boxes_open_of(struct rv_rd_boxes *boxes, struct rv_rd *store, uint64_t lane,
                        const char *channel, int64_t deadline_ms, struct rv_rd_box **out,
                        struct rv_error *err);
/* Closed if it is broken. What nobody took of it is lost. NULL is fine. */
void rv_rd_boxes_give(struct rv_rd_boxes *boxes, struct rv_rd_box *box);
/* Has another connection listen at the same channel. What is told meanwhile is lost. */
int rv_rd_boxes_mend(struct rv_rd_boxes *boxes, struct rv_rd *store, struct rv_rd_box *box,
                     int64_t deadline_ms, struct rv_error *err);
bool rv_rd_box_is_broken(const struct rv_rd_box *box);

/* The next message; none came before deadline_ms if its channel is NULL. The caller releases it
 * (channels.h). REEVE_EUNREACHABLE: some may have been lost. */
int rv_rd_box_attend(struct rv_rd_box *box, int64_t deadline_ms, struct rv_rd_message *out,
                     struct rv_error *err);

#endif
