#include "work/shares.h"

#include <stdlib.h>

#include <reeve.h>

enum { JOB = 1 << 20 }; /* of a queue with weight 1; divided by weights of up to a hundred */

int rv_shares_init(struct rv_shares *shares, const int *weights, size_t count) {
    *shares = (struct rv_shares){.items = calloc(count, sizeof *shares->items), .count = count};
    if (!shares->items) return REEVE_ENOMEM;
    for (size_t i = 0; i < count; i++)
        shares->items[i].weight = weights[i];
    return 0;
}

void rv_shares_release(struct rv_shares *shares) {
    free(shares->items);
}

static uint64_t cost(const struct rv_share *share, size_t jobs) {
    return (uint64_t)jobs * JOB / (uint64_t)share->weight;
}

/* Who has had least, counting what is dealt to him by now; the earlier of equals. */
static struct rv_share *next(struct rv_shares *shares) {
    struct rv_share *least = NULL;
    uint64_t least_had = 0;
    for (size_t i = 0; i < shares->count; i++) {
        struct rv_share *share = &shares->items[i];
        uint64_t had = share->had + cost(share, share->dealt);
        if (!share->asks || (least && had >= least_had)) continue;
        least = share;
        least_had = had;
    }
    return least;
}

void rv_shares_deal(struct rv_shares *shares, size_t places) {
    for (size_t i = 0; i < shares->count; i++) {
        struct rv_share *share = &shares->items[i];
        share->dealt = 0;
        if (share->asks && share->had < shares->level) share->had = shares->level;
    }
    struct rv_share *share = next(shares);
    if (share) shares->level = share->had;
    for (; share && places > 0; places--) {
        share->dealt++;
        share = next(shares);
    }
}

void rv_shares_took(struct rv_shares *shares, size_t index, size_t jobs) {
    shares->items[index].had += cost(&shares->items[index], jobs);
}
