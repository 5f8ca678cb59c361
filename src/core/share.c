#include "core/share.h"

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* How many all would own if none had more than level. */
static uint64_t held_at(const struct rv_sharer *all, size_t count, uint64_t level) {
    uint64_t held = 0;
    for (size_t i = 0; i < count; i++)
        held += smaller(all[i].max, level);
    return held;
}

/* The lowest level at which all streams are owned; total if there is none. */
static uint64_t find_level(const struct rv_sharer *all, size_t count, uint64_t total) {
    uint64_t low = 0, high = total;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (held_at(all, count, middle) >= total)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* What the one has that could take most, but for me; mine if nobody could. */
static uint64_t find_least(const struct rv_sharer *all, size_t count, size_t me) {
    uint64_t least = all[me].owned;
    for (size_t i = 0; i < count; i++)
        if (i != me && all[i].owned < all[i].max) least = smaller(least, all[i].owned);
    return least;
}

struct rv_share rv_share_out(const struct rv_sharer *all, size_t count, size_t me,
                             uint64_t waiting) {
    uint64_t total = waiting, mine = all[me].owned;
    for (size_t i = 0; i < count; i++)
        total += all[i].owned;
    struct rv_share share = {.cap = smaller(all[me].max, find_level(all, count, total))};
    if (waiting) return share; /* first those find their owners */
    if (mine > share.cap)
        share.yield = mine - share.cap;
    else if (find_least(all, count, me) + 1 < mine)
        share.yield = 1;
    return share;
}
