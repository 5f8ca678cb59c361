/* Queues that have weights are served in proportion to them, evenly interleaved, as far as they
 * have work: what one leaves goes to the others, and is not owed to it later. Pure. */
#ifndef RV_WORK_SHARES_H
#define RV_WORK_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_share {
    int weight;
    bool asks;    /* in: it may have work */
    size_t dealt; /* out: places that it may fill */
    uint64_t had; /* jobs, each counted the heavier the less its queue weighs */
};

struct rv_shares { /* zeroed: there are no weights */
    struct rv_share *items;
    size_t count;
    uint64_t level; /* the least that one who asked had: who comes anew begins there */
};

int rv_shares_init(struct rv_shares *shares, const int *weights,
                   size_t count); /* 0, REEVE_ENOMEM */
void rv_shares_release(struct rv_shares *shares);
void rv_shares_deal(struct rv_shares *shares, size_t places);             /* among those who ask */
void rv_shares_took(struct rv_shares *shares, size_t index, size_t jobs); /* of what was dealt */

#endif
