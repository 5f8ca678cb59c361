/* The public calls that are tried, one by one. */
#ifndef NOMEM_CALLS_H
#define NOMEM_CALLS_H

#include "nomem/world.h"

struct call {
    const char *name;
    void (*prepare)(struct world *world); /* with all memory there is; may be NULL */
    /* Under want of memory. 0 or the error; leaves nothing behind but what the call is to do. */
    int (*act)(struct world *world);
    bool in_steps; /* what was done before the error stays done; doing all again completes it */
};

extern const struct call calls[];
extern const size_t call_count;

#endif
