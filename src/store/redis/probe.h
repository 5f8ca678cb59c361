/* Whether a server that stood still does so yet, found out without waiting for it: a connection of
 * its own on which a word was said. Whatever comes back, be it a hang-up, is a sign of life. */
#ifndef RV_STORE_REDIS_PROBE_H
#define RV_STORE_REDIS_PROBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rv_rd_target;

struct rv_rd_probe {
    _Atomic int fd; /* whoever looks takes it, and nobody else looks meanwhile */
    /* Of who has it: */
    int64_t since_ms; /* boot: when it was opened */
    bool said;
    unsigned turn; /* which of the target's addresses is next */
};

void rv_rd_probe_init(struct rv_rd_probe *probe);
void rv_rd_probe_close(struct rv_rd_probe *probe); /* it may be looked at again */

/* True: the server answers, or nobody is there at all, so that asking it costs no time. Opens the
 * probe if need be: then mostly false, until the next look. */
bool rv_rd_probe_look(struct rv_rd_probe *probe, const struct rv_rd_target *target, int64_t now_ms);

#endif
