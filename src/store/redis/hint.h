/* What a handle remembers of queues it has met, to save itself a question. All of it may be out of
 * date: whoever goes by it is set right by the answer. Of two queues that fall into one place the
 * later is remembered. */
#ifndef RV_STORE_REDIS_HINT_H
#define RV_STORE_REDIS_HINT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rv_rd_hint {
    unsigned needs; /* keys that scripts have asked for, as in script.h */
    bool listed;    /* its name stands among the space's queues */
};

enum { RV_RD_HINTS = 256 };

struct rv_rd_hints {               /* zeroed remembers nothing */
    _Atomic unsigned spread_calls; /* see script.c */
    _Atomic uint64_t packed[RV_RD_HINTS];
};

struct rv_rd_hint rv_rd_hint_get(struct rv_rd_hints *hints, const char *queue);
void rv_rd_hint_add_needs(struct rv_rd_hints *hints, const char *queue, unsigned needs);
void rv_rd_hint_drop_needs(struct rv_rd_hints *hints, const char *queue, unsigned needs);
void rv_rd_hint_set_listed(struct rv_rd_hints *hints, const char *queue);

#endif
