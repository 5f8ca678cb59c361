/* How many streams a member should own, so that all of a group have about as many. Pure. */
#ifndef RV_CORE_SHARE_H
#define RV_CORE_SHARE_H

#include <stddef.h>
#include <stdint.h>

struct rv_sharer {
    uint64_t owned, max;
};

struct rv_share {
    uint64_t cap;   /* own no more than that */
    uint64_t yield; /* of those in hand, so many are others' */
};

/* all: every member, with ours at `me`; waiting: streams that nobody owns. Who follows this ends up
 * within one of every other who has room. */
struct rv_share rv_share_out(const struct rv_sharer *all, size_t count, size_t me,
                             uint64_t waiting);

#endif
