/* Messages about queues, which all who want them get: a connection that is subscribed to channels.
 * The text of a message is the meta of its queue, as it stood then. */
#ifndef RV_STORE_REDIS_CHANNELS_H
#define RV_STORE_REDIS_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

struct rv_rd;
struct rv_rd_conn;
struct rv_rd_held;

struct rv_rd_channel {
    char *name;
    bool subscribed;
    int64_t wanted_ms; /* when last; boot */
};

struct rv_rd_channels {
    struct rv_rd_conn *conn; /* NULL: none yet */
    struct rv_rd_channel *all;
    size_t count, room;
    unsigned gaps;           /* times that messages may have been missed, the beginning included */
    struct rv_rd_held *held; /* messages that came while it subscribed, first come first */
};

struct rv_rd_message {
    const char *channel; /* NULL: there is none */
    struct rv_bytes text;
    void *reply; /* what both are pieces of */
};

void rv_rd_channels_close(struct rv_rd_channels *channels);
/* Nobody is told anything until rv_rd_channels_listen(). */
void rv_rd_channels_disconnect(struct rv_rd_channels *channels);

/* Notes that a channel is wanted. One that is not wanted for a while is left. */
int rv_rd_channels_want(struct rv_rd_channels *channels, const char *name, struct rv_error *err);
/* Subscribes to what is wanted. When it returns, whatever happens next is told; what happened just
 * before may not have been: look at the queues then. */
int rv_rd_channels_listen(struct rv_rd_channels *channels, struct rv_rd *store,
                          struct rv_error *err);
/* The next message that has come. The caller releases it. */
int rv_rd_channels_look(struct rv_rd_channels *channels, struct rv_rd_message *out,
                        struct rv_error *err);
/* Makes a message of what has come on such a connection, if it is one; else frees it. */
void rv_rd_message_take(struct rv_rd_message *out, void *came);
void rv_rd_message_release(struct rv_rd_message *message);

#endif
