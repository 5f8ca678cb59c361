/* The streams that one member has in hand. */
#ifndef RV_SERVICE_OWNED_H
#define RV_SERVICE_OWNED_H

#include <pthread.h>

#include "base/map.h"
#include "service/tenure.h"

struct rv_owned {
    struct rv_tenure tenure;
    struct reeve_stream *stream; /* a block, ours */
    int64_t since_ms;            /* boot */
    /* Guarded by the lock of the holdings. */
    struct rv_map_node by_name;
    struct rv_list link;
    unsigned pins; /* who looks at it without the lock; it is freed with the last */
    bool gone;     /* no longer in hand */
    bool busy;     /* somebody is ending or yielding it */
    bool unsure;   /* that may have come through, for all that we heard */
    bool told;     /* lost() was called */
};

struct rv_holdings {
    pthread_mutex_t lock; /* guards all below; never held during I/O or callbacks */
    pthread_cond_t freed; /* busy became false, or one is gone */
    struct rv_map by_name;
    struct rv_list list; /* in the order taken */
    size_t count;
};

int rv_holdings_init(struct rv_holdings *holdings);     /* 0 or REEVE_ENOMEM */
void rv_holdings_release(struct rv_holdings *holdings); /* which holds nothing */

/* Makes it ours, pinned for the caller. REEVE_ENOMEM: it is not. REEVE_ESTATE: nor is it, for an
 * earlier ownership of the same stream is not settled yet. */
int rv_holdings_add(struct rv_holdings *holdings, struct rv_owned *owned);
/* The one of this name, pinned and busy: waits for whoever else is. NULL: not in hand. */
struct rv_owned *rv_holdings_seize(struct rv_holdings *holdings, const char *name);
/* Neither pinned nor busy any more. gone: no longer in hand either. */
void rv_holdings_put_back(struct rv_holdings *holdings, struct rv_owned *owned, bool gone);
/* For one that is pinned but not busy. Frees it if it is gone and nobody else looks. */
void rv_holdings_unpin(struct rv_holdings *holdings, struct rv_owned *owned);
size_t rv_holdings_count(struct rv_holdings *holdings);

#endif
